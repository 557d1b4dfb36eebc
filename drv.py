import re
s=open('/tmp/t2.c').read()
