import { defineFixtures } from '@horarium/core/contracts';

export default defineFixtures({
  formats: {
    ndjson: {
      streamsAsWritten: true,
      read(written, kind) {
        const records = written
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
        return kind === 'list' ? records : records[0];
      },
    },
  },
});
