"""Load a robot, look at it, and see what the rules say about it and about a file that breaks one."""

from rich.console import Console

import motionc as mc
from motionc.cli.display import robot_tree
from motionc.formats import read_urdf

robot = mc.load("lwr4")
Console(width=100).print(robot_tree(robot))

# a file with a loop: reading it gives findings, not a crash
loop = read_urdf("""
<robot name="loop">
  <link name="a"/> <link name="b"/>
  <joint name="forth" type="fixed"><parent link="a"/><child link="b"/></joint>
  <joint name="back" type="fixed"><parent link="b"/><child link="a"/></joint>
</robot>
""")
for finding in loop.findings:
    print(finding)

print("mass of the LWR 4 in kg:", round(sum(link.mass or 0 for link in robot.links), 3))
