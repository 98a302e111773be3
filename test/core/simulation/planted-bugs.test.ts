import type { Store } from '@horarium/core';
import { expect } from 'chai';
import { huntBug } from '../../support/simulation/hunt-bug.ts';
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
import { withAuditTripwire } from '../../support/store/audit-tripwire.ts';

describe('The simulation', () => {
  it('finds no violated invariant in a store without bugs', async () => {
    // The tests of the stores simulate many more seeds.
    expect(await huntBug({ seeds: 3 })).to.equal('');
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
      expect(await huntBug({ plant, expected: finding, ...(scale && { scale }) })).to.match(finding);
    });

  it('fails at once under the tripwire, which rejects commits of changes without their audit entries', async () => {
    expect(await huntBug({ plant: (store) => withDroppedEntries(withAuditTripwire(store)) })).to.match(
      /The audit log does not balance. Written but not logged: \w+ of \w+ \d+/,
    );
  });
});
