/* Two threads write one number without a lock: what ThreadSanitizer must report, the test of races.py's eyes.
 */
#include <pthread.h>
#include <stdio.h>

static int number;

static void *add(void *arg)
{
	number++;
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, add, NULL))
		return 1;
	number++;
	pthread_join(thread, NULL);
	printf("%d\n", number);
	return 0;
}
