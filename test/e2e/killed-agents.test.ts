import { expect } from 'chai';
import { agentKillRun } from '../support/faults/agents/agent-kill-run.ts';
import { natsServer } from '../support/nats/test-nats.ts';

describe('agents, a host and three NATS servers that are killed again and again (HORARIUM_TEST_NATS_SERVER)', () => {
  it('never run two attempts of a Task at the same time, answer each window, and lose nothing that was acknowledged', async function () {
    if (natsServer === undefined) return this.skip();
    this.timeout(600_000);
    const seed = Number(process.env['KILL_SEED'] ?? 1);
    const { violations, figures } = await agentKillRun({ kind: 'sqlite', seed, kills: 12, interval: 2500 });
    expect(violations.slice(0, 10), `KILL_SEED=${seed}, ${JSON.stringify(figures)}`).to.deep.equal([]);
    // A run without one of these would test nothing of it.
    for (const name of ['agent', 'host', 'NATS server', 'tasks', 'recorded runs', 'acknowledged ends that were seen'])
      expect(figures[name], `${name} of ${JSON.stringify(figures)}`).to.be.at.least(1);
  });
});
