import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import { MigratedByNewerVersion } from '../../../adapters/mikro-orm/schema/schema.ts';
import { newerVersion } from '../../../host/serve/newer-version.ts';

describe('The watch for a newer version', () => {
  const newer = new MigratedByNewerVersion('Migration20991231235959_future');

  /** A store whose looks at its migrations end as given, one after another, and a clock that does not wait. */
  const watch = (outcomes: readonly (Error | null)[], signal = new AbortController().signal) => {
    const looks = [...outcomes];
    const schema = {
      pending: async () => {
        const error = looks.shift() ?? null;
        if (error) throw error;
        return [];
      },
      migrate: async () => [],
    };
    return newerVersion({ schema }, { sleep: async () => undefined }, signal).then((found) => [found, looks.length]);
  };

  it('ends with the sentence once a newer version has migrated the store', async () => {
    expect(await watch([null, null, newer, null])).to.deep.equal([newer, 1]);
  });

  it('goes on while the store cannot be read', async () => {
    expect(await watch([new HorariumError('unavailable', 'gone'), newer])).to.deep.equal([newer, 0]);
  });

  it('ends when the service stops', async () => {
    expect(await watch([newer], AbortSignal.abort())).to.deep.equal([null, 1]);
  });
});
