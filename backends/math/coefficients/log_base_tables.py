# SPDX-License-Identifier: BSD-3-Clause
# -log2 c and -log10 c for the table of log.inc, in two parts; constants of log_base.inc. Needs mpmath.
from mpmath import *
import struct
mp.prec=300
C=[float.fromhex(h) for h in '0x1.5p+0 0x1.4p+0 0x1.3p+0 0x1.3p+0 0x1.2p+0 0x1.1p+0 0x1.1p+0 0x1p+0 0x1p+0 0x1.dp-1 0x1.cp-1 0x1.ap-1 0x1.9p-1 0x1.8p-1 0x1.7p-1 0x1.6p-1'.split()]
def sh(x):
    if x==0: return '0'
    m,e=float(x).hex().split('p'); m=m.rstrip('0'); m=m[:-1] if m.endswith('.') else m; return m+'p'+e
def f32(x): return struct.unpack('f',struct.pack('f',float(x)))[0]
for name,b in (('2',2),('10',10)):
    H=[];L=[]
    for c in C:
        v=-log(mpf(c))/log(b); h=nint(v*2**42)/2**42; H.append(sh(h)); L.append(sh(v-h))
    print(name,'H',", ".join(H)); print(name,'L',", ".join(L))
    v=1/log(mpf(b)); h=float(v); print(name,'inv',h.hex(),float(v-h).hex(), f32(v).hex(), f32(v-mpf(f32(v))).hex())
v=log(mpf(2))/log(10); h=nint(v*2**42)/2**42; print('log10(2)',sh(h),sh(v-h)); h=nint(v*2**16)/2**16; print('f', sh(h), sh(f32(v-h)))
