import { expect } from 'chai';
import type { AgentBug } from '../../support/simulation/fleet/planted-agent-bugs.ts';
import { huntBug } from '../../support/simulation/hunt-bug.ts';

describe('The simulation of agents', () => {
  const bugs: readonly (readonly [what: string, AgentBug, RegExp, scale?: number, seeds?: number])[] = [
    ['an agent that starts what a late answer gives it', 'starts late answers', /Job \d+ was run \d times/],
    [
      'an agent that does not say which claims it gave up on',
      'hides abandoned claims',
      /gave up on, was not taken back/,
    ],
    ['an agent that runs jobs after its lease', 'outlives its lease', / ran at once/],
    [
      'an agent that starts an attempt before that is reported',
      'starts before that is reported',
      /Job \d+ was run \d times|the store says it never ran/,
    ],
    ['reports that are acknowledged before they are stored', 'acknowledges before the commit', lostAlthoughReported()],
    ['leases that end before the reports are read', 'ends leases before it reads reports', lostAlthoughReported()],
    ['leases that a heartbeat renews as often as it is read', 'renews by the time of arrival', /which was known at/, 1],
    ['reports that are stored twice', 'stores reports again', /its std\w+ is .* but it printed/],
    ['reports that are stored out of order', 'stores early reports', /its std\w+ is .* but it printed/],
    [
      'attempts that are taken back although they were started',
      'releases what was reported',
      /Job \d+ was run \d times/,
    ],
    [
      'ends of attempts that were taken back',
      'takes reports of other claims',
      /it ended (?:with|at) .*, not (?:with|at)|but it printed/,
      0.2,
      150,
    ],
  ];
  for (const [what, bug, finding, scale, seeds] of bugs)
    it(`detects ${what}`, async () => {
      expect(
        await huntBug({ agents: { bug }, expected: finding, ...(scale && { scale }), ...(seeds && { seeds }) }),
      ).to.match(finding);
    });
});

function lostAlthoughReported(): RegExp {
  return /it was called lost, although its end was reported within its lease/;
}
