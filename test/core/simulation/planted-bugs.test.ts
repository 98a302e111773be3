import { allTables, MemoryStore, type Store } from '@horarium/core';
import { expect } from 'chai';
import {
  withDoubleClaims,
  withDroppedEntries,
  withForgottenClaims,
  withForgottenFirings,
  withLostEvents,
  withoutCalendars,
  withoutHeldJumps,
  withoutMaxRunning,
  withoutPauses,
  withoutShares,
  withRepeatedEvents,
  withSkippedWindows,
  withStaleSchedules,
} from '../../support/simulation/planted-bugs.ts';
import { runSeed } from '../../support/simulation/seeds.ts';
import { withAuditTripwire } from '../../support/store/audit-tripwire.ts';

const maxSeeds = 30;

interface Hunt {
  /** The finding that ends it. */
  readonly expected?: RegExp;
  readonly scale?: number;
  readonly seeds?: number;
}

/** Simulates seed after seed on a store with a planted bug until a finding matches. @returns all findings. */
async function findings(
  plant: (store: Store) => Store,
  { expected = /./, scale = 0.5, seeds = maxSeeds }: Hunt = {},
): Promise<string> {
  const all: string[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    if (expected.test(all.join('\n'))) break;
    const openStore = async (time: { readonly storeClock: ConstructorParameters<typeof MemoryStore>[0]['clock'] }) =>
      plant(new MemoryStore({ clock: time.storeClock, tables: allTables }));
    try {
      all.push(...(await runSeed(seed, { scale, openStore })).findings);
    } catch (error) {
      all.push((error as Error).message);
    }
  }
  return all.join('\n');
}

describe('The simulation', () => {
  it('finds no violated invariant in a store without bugs', async () => {
    // The tests of the stores simulate many more seeds.
    expect(await findings((store) => store, { seeds: 3 })).to.equal('');
  });

  const bugs: readonly (readonly [string, (store: Store) => Store, RegExp, scale?: number])[] = [
    ['jobs that are claimed although another job of their template runs', withDoubleClaims, /Jobs \d+ .* ran at once/],
    ['jobs that end one host after the other', withForgottenClaims, /hosts died while they prepared job/, 2],
    ['companies that run more jobs than their max_running', withoutMaxRunning, /company \d+ ran \d+ jobs at once/, 2],
    ['jobs that start in a pause', withoutPauses, /Job \d+ started in Pause \d+/],
    ['companies that take more slots than their share', withoutShares, /company \d+ on \w+ ran \d+ jobs at once/],
    ['windows on days off', withoutCalendars, /The window of template \d+ at \S+ was not owed/, 2],
    ['windows without a Task', withSkippedWindows, /The window of template \d+ at \S+ has no Task/],
    ['jumps of the clock that are not held', withoutHeldJumps, /The window of template \d+ at \S+ was not owed/],
    ['windows that are not scheduled again', withStaleSchedules, /The window of template \d+ at \S+ has no Task/, 1],
    ['rules that fire again when their event is retried', withForgottenFirings, /Event \d+ .* fired rule/, 1],
    ['ends that are no events', withLostEvents, /has the events \[\] in place of/],
    [
      'events that are processed twice',
      withRepeatedEvents,
      /Event \d+ \(done\) fired rule \d+ 1 times and made 2 jobs/,
    ],
    ['records that differ from the audit log', withDroppedEntries, /but the log says|which is not there/],
  ];
  for (const [what, plant, finding, scale] of bugs)
    it(`detects ${what}`, async () => {
      expect(await findings(plant, { expected: finding, ...(scale && { scale }) })).to.match(finding);
    });

  it('fails at once under the tripwire, which rejects commits of changes without their audit entries', async () => {
    expect(await findings((store) => withDroppedEntries(withAuditTripwire(store)))).to.match(
      /The audit log does not balance. Written but not logged: \w+ of \w+ \d+/,
    );
  });
});
