import { expect } from 'chai';
import { type KillRunOptions, killRun } from './kill-run.ts';

/**
 * Defines the test of one kill run. `KILL_SEED=7` kills at other moments, and prints the figures; `npm run soak` kills far
 * more often.
 */
export function defineKillRunTest(options: Omit<KillRunOptions, 'seed'>): void {
  it('create every Task once, lose no acknowledged write and never run two attempts of a Task at the same time', async function () {
    this.timeout(600_000);
    const chosenSeed = process.env['KILL_SEED'];
    const seed = Number(chosenSeed ?? 1);
    const { violations, figures } = await killRun({ ...options, seed });
    expect(violations.slice(0, 10), `KILL_SEED=${seed}, ${JSON.stringify(figures)}`).to.deep.equal([]);
    expect(figures['kills']).to.equal(options.kills);
    // On a busy machine the services are killed before they have started the jobs that they claimed.
    const { lost: _lost, retries: _retries, ...expected } = figures;
    // A run without one of these events would test nothing of it.
    for (const [name, count] of Object.entries(expected))
      expect(count, `${name} of ${JSON.stringify(figures)}`).to.be.at.least(1);
    if (chosenSeed) console.log(figures);
  });
}
