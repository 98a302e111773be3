import { killRun } from '../support/faults/kill-run.ts';

/**
 * `npm run soak -- [MINUTES] [SEED]` kills services as the tests do, for half an hour by default, on SQLite and
 * PostgreSQL in turn, and exits with 1 at the first broken promise.
 */
const [minutes = '30', first = String(Math.floor(Date.now() / 1000) % 1_000_000)] = process.argv.slice(2);
if (!(Number(minutes) > 0) || !/^\d+$/.test(first)) {
  console.error('npm run soak -- [MINUTES] [SEED]: both are positive numbers.');
  process.exit(2);
}
const until = performance.now() + Number(minutes) * 60_000;
const fields = [
  { kind: 'sqlite', slots: 2, kills: 150 },
  { kind: 'postgresql', slots: 3, kills: 150 },
] as const;

for (let seed = Number(first); performance.now() < until; seed += 1) {
  for (const field of fields) {
    const { violations, figures } = await killRun({ ...field, seed });
    console.log(`${field.kind}, seed ${seed}: ${JSON.stringify(figures)}`);
    for (const violation of violations) console.log(`  ${violation}`);
    if (violations.length > 0) process.exitCode = 1;
  }
  if (process.exitCode) break;
}
