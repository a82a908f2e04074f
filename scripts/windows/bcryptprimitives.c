/* For Wine before 8.11 or so, which lacks the library that Rust's standard library takes random
 * bytes from; Windows has it since version 8. For tests only: it is not packed. */
#include <windows.h>

#define RtlGenRandom SystemFunction036
BOOLEAN NTAPI RtlGenRandom(void *bytes, ULONG count);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *bytes, SIZE_T count)
{
    return RtlGenRandom(bytes, (ULONG)count);
}
