import { expect } from 'chai';
import { type KillRunOptions, killRun } from './kill-run.ts';

/** Defines the test of one run; `KILL_SEED=7` draws other moments. */
export function killRunTest(options: Omit<KillRunOptions, 'seed'>): void {
  it('create every Task once, lose no acknowledged write and run no two attempts at once', async function () {
    this.timeout(240_000);
    const seed = Number(process.env['KILL_SEED'] ?? 1);
    const { findings, figures } = await killRun({ ...options, seed });
    expect(findings.slice(0, 10), `KILL_SEED=${seed}, ${JSON.stringify(figures)}`).to.deep.equal([]);
    expect(figures['kills']).to.equal(options.kills);
    // Otherwise the run tested nothing.
    for (const [what, number] of Object.entries(figures)) expect(number, what).to.be.above(5);
    if (process.env['KILL_SEED']) console.log(figures);
  });
}
