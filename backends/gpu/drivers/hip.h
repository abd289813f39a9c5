/* What the HIP driver offers the other files that speak to AMD's libraries (rocfft.c). */
#ifndef OG_GPU_HIP_H
#define OG_GPU_HIP_H

/* Makes the device current until og_hip_leave(device, *before), which gives the caller's back. */
int og_hip_enter(void *device, int *before);
void og_hip_leave(void *device, int before);
/* A queue's hipStream_t. */
void *og_hip_stream(void *queue);
#endif
