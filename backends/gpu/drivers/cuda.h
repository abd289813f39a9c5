/* What the CUDA driver offers the other files that speak to CUDA (cufft.c). */
#ifndef OG_GPU_CUDA_H
#define OG_GPU_CUDA_H

/* Makes the device's context current until og_cuda_leave, which gives the caller's back. */
int og_cuda_enter(void *device);
void og_cuda_leave(void);
/* A queue's CUstream. */
void *og_cuda_stream(void *queue);
#endif
