import type { TestPrograms } from '@horarium/core/contracts';

/** The programs of the contract of executors, for one that starts native jobs. */
export const nativePrograms: TestPrograms = {
  succeeds: { executable: 'true', arguments: [] },
  fails: { executable: 'sh', arguments: ['-c', 'exit 3'] },
  writes: { executable: 'sh', arguments: ['-c', 'printf out; printf err >&2'] },
  writesMebibyte: { executable: 'head', arguments: ['-c', '3000000', '/dev/zero'] },
  runsUntilStopped: { executable: 'sleep', arguments: ['1000'] },
  missing: { executable: 'no-such-program', arguments: [] },
  echoesStdin: { executable: 'cat', arguments: [] },
  writesGreeting: { executable: 'sh', arguments: ['-c', 'printf %s "$GREETING"'] },
  writesFile: { executable: 'cat', arguments: [] },
  reportsProgress: {
    executable: 'sh',
    arguments: ['-c', 'echo "40 half way" > "$HORARIUM_PROGRESS_FILE"; exec sleep 1000'],
  },
};
