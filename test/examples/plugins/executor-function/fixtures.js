import { fileURLToPath } from 'node:url';
import { defineFixtures } from '@horarium/core/contracts';

/** @param {string} executable */
const program = (executable) => ({ executable, arguments: [] });

export default defineFixtures({
  options: { module: fileURLToPath(new URL('functions.js', import.meta.url)) },
  executors: {
    function: {
      programs: {
        succeeds: program('succeeds'),
        fails: program('fails'),
        writes: program('writes'),
        writesMebibyte: program('writesMebibyte'),
        runsUntilStopped: program('runsUntilStopped'),
        missing: program('missing'),
        echoesStdin: program('echoesStdin'),
        writesGreeting: program('writesGreeting'),
      },
    },
  },
});
