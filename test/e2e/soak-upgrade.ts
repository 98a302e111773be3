import { OldVersion } from '../support/upgrade/old-version.ts';
import { upgradeRun } from '../support/upgrade/upgrade-run.ts';

/**
 * `npm run soak-upgrade -- [TASKS] [COMMIT]` upgrades a large store that an older version has made, of a million Tasks and
 * jobs by default, on SQLite and PostgreSQL, and exits with 1 at a broken promise. It builds that version first.
 */
const [tasks = '1000000', commit = 'ae58b3c'] = process.argv.slice(2);
if (!/^\d+$/.test(tasks)) {
  console.error('npm run soak-upgrade -- [TASKS] [COMMIT]: TASKS is a number.');
  process.exit(2);
}
await using version = await OldVersion.build(commit);
for (const kind of ['sqlite', 'postgresql'] as const) {
  const { violations, figures } = await upgradeRun({ kind, version, tasks: Number(tasks) });
  console.log(`${kind}, from ${version.commit}: ${JSON.stringify(figures)}`);
  for (const violation of violations) console.log(`  ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
