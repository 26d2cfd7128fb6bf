#ifndef MAZE_H
#define MAZE_H

#ifdef __cplusplus
extern "C" {
#endif

void maze_run(int n, float* x, double* y);

#ifdef __cplusplus
}
#endif

#endif
