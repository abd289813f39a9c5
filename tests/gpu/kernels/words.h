/* A struct that words.c and its test share. */
#ifndef OG_TEST_WORDS
#define OG_TEST_WORDS
typedef struct words_table {
  double c[200];
  i32 n[3];
  i32 spare;
} words_table;
#endif
