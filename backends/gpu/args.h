/* The structs of kernels/args.h as the host fills them. */
#ifndef OG_GPU_HOST_ARGS_H
#define OG_GPU_HOST_ARGS_H
#include <stdint.h>

typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
#include "gpu/kernels/args.h"
#endif
