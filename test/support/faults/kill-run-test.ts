import { expect } from 'chai';
import { type KillRunOptions, killRun } from './kill-run.ts';

/** Defines the test of one kill run; `KILL_SEED=7` kills at other moments. */
export function killRunTest(options: Omit<KillRunOptions, 'seed'>): void {
  it('create every Task once, lose no acknowledged write and never run two attempts of a Task at the same time', async function () {
    this.timeout(240_000);
    const seed = Number(process.env['KILL_SEED'] ?? 1);
    const { violations, figures } = await killRun({ ...options, seed });
    expect(violations.slice(0, 10), `KILL_SEED=${seed}, ${JSON.stringify(figures)}`).to.deep.equal([]);
    expect(figures['kills']).to.equal(options.kills);
    // A run with fewer events would test nothing.
    for (const [name, count] of Object.entries(figures)) expect(count, name).to.be.above(5);
    if (process.env['KILL_SEED']) console.log(figures);
  });
}
