"""A Collada file in centimetres: a plate of 1 m, one half of a colour, the other with a texture, skin.png."""

COLLADA = """<COLLADA version="1.4.1"><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_images><image id="skin"><init_from>skin.png</init_from></image></library_images>
  <library_effects>
    <effect id="e1"><profile_COMMON><technique sid="c"><phong><diffuse><color>0 1 0 1</color></diffuse></phong>
    </technique></profile_COMMON></effect>
    <effect id="e2"><profile_COMMON>
      <newparam sid="s"><surface><init_from>skin</init_from></surface></newparam>
      <newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
      <technique sid="c"><lambert><diffuse><texture texture="t" texcoord="UV"/></diffuse></lambert></technique>
    </profile_COMMON></effect>
  </library_effects>
  <library_materials><material id="m1"><instance_effect url="#e1"/></material>
    <material id="m2"><instance_effect url="#e2"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 100 100 0 0 100 0</float_array>
      <technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
    <source id="u"><float_array id="ua" count="8">0 0 1 0 1 1 0 1</float_array>
      <technique_common><accessor source="#ua" count="4" stride="2"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles material="A" count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
    <polylist material="B" count="1"><input semantic="VERTEX" source="#v" offset="0"/>
      <input semantic="TEXCOORD" source="#u" offset="1"/><vcount>4</vcount><p>0 0 1 1 2 2 3 3</p></polylist>
  </mesh></geometry></library_geometries>
  <library_nodes><node id="n"><instance_geometry url="#g"><bind_material><technique_common>
    <instance_material symbol="A" target="#m1"/><instance_material symbol="B" target="#m2"/>
  </technique_common></bind_material></instance_geometry></node></library_nodes>
  <library_visual_scenes><visual_scene id="s">
    <node><translate>0 0 50</translate><rotate>0 0 2 90</rotate><instance_node url="#n"/></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
