// What the device's compiler defines by itself: the architecture and, where a program is compiled once for each kind of
// core, the kind.
#pragma once

#ifndef CATLASS_ARCH
#define CATLASS_ARCH 2201
#endif

#define __NPU_ARCH__ CATLASS_ARCH

#if CATLASS_ARCH == 2201
#define __CCE_AICORE__ 220
#define __DAV_C220__
#ifdef EVTGEN_PASS_CUBE
#define __DAV_C220_CUBE__
#elif defined(EVTGEN_PASS_VECTOR)
#define __DAV_C220_VEC__
#endif
#elif CATLASS_ARCH == 3510
#define __CCE_AICORE__ 310
#define __NPU_DEVICE__
#define __DAV_C310__
#ifdef EVTGEN_PASS_CUBE
#define __DAV_C310_CUBE__
#elif defined(EVTGEN_PASS_VECTOR)
#define __DAV_C310_VEC__
#endif
#endif

#ifdef EVTGEN_PASS_CUBE
#define __DAV_CUBE__
#elif defined(EVTGEN_PASS_VECTOR)
#define __DAV_VEC__
#endif
