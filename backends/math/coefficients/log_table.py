# SPDX-License-Identifier: BSD-3-Clause
# The table of log.inc: c, and -log c in two parts, for sixteen intervals of [3/4, 3/2). Needs mpmath.
from mpmath import *
mp.prec=300
off=0x3fe8000000000000
import struct
def fl(b): return struct.unpack('d',struct.pack('Q',b))[0]
C=[];H=[];L=[];rm=[0,0]
for i in range(16):
    a=mpf(fl(off+(i<<48))); b=mpf(fl(off+((i+1)<<48)))
    best=None
    for den in (32,16):
        for j in range(10,60):
            c=mpf(j)/den
            if c<1 and den!=32: continue
            if c>1 and den!=16: continue
            m=max(abs(a*c-1),abs(b*c-1))
            if best is None or m<best[0]: best=(m,c,a*c-1,b*c-1)
    if a==1 or b==1: best=(0,mpf(1),a-1,b-1)
    c=best[1]; rm[0]=min(rm[0],best[2]);rm[1]=max(rm[1],best[3])
    lc=-log(c); h=nint(lc*2**42)/2**42; C.append(c);H.append(h);L.append(float(lc-h))
    print(i,float(a),float(b),float(c),float(best[2]),float(best[3]))
print(float(rm[0]),float(rm[1]))
print(", ".join(float(c).hex() for c in C));print(", ".join(float(c).hex() for c in H));print(", ".join(c.hex() for c in L))
