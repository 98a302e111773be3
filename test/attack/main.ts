import Table from 'cli-table3';
import { allAttacks } from './all-attacks.ts';
import { type Finding, tryAttacks } from './attack.ts';
import { openTarget } from './own-target.ts';
import { Target } from './target.ts';

const help = `npm run attack -- [URL]

Tries to break what SECURITY.md promises, as a user with ordinary rights would, and prints a table.

URL is the base URL of a running service, such as http://127.0.0.1:8080/api/v1; the variable
HORARIUM_ATTACK_TOKEN holds a token of one of its administrators. The attacks add companies, users,
Apps and jobs to it, and occupy all its workers. Claims that take the machine or the database of a
service, such as those on kill -9 and on forged entries of the audit log, are not tried on it.

Without URL services of their own are attacked, on SQLite and on PostgreSQL, with all claims; those on
clocks take libfaketime, whose path HORARIUM_TEST_LIBFAKETIME holds. What was not tried is in the table,
with the reason.

It exits with 1 when a promise was broken.`;

const [url, ...others] = process.argv.slice(2);
const token = process.env['HORARIUM_ATTACK_TOKEN'];
if (url === '--help' || others.length > 0 || (url !== undefined && token === undefined)) {
  console.error(url === '--help' || others.length > 0 ? help : 'HORARIUM_ATTACK_TOKEN holds no token.');
  process.exit(url === '--help' ? 0 : 2);
}

if (url !== undefined) await attack(url, new Target(url.replace(/\/$/, ''), token as string));
else {
  for (const kind of ['sqlite', 'postgresql'] as const) {
    await using own = await openTarget(kind);
    await attack(kind, own.target);
  }
}

async function attack(name: string, target: Target): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of tryAttacks(allAttacks, target)) {
    if (process.stderr.isTTY) console.error(`${finding.result}: ${finding.claim}`);
    findings.push(finding);
  }
  const table = new Table({
    head: [`Claim (${name})`, 'Result', ''],
    colWidths: [60, 11, 50],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  table.push(...findings.map(({ claim, result, detail }) => [claim, result, detail]));
  console.log(table.toString());
  const count = (wanted: Finding['result']) => findings.filter(({ result }) => result === wanted).length;
  console.log(`${name}: ${count('held')} held, ${count('broken')} broken, ${count('not tried')} not tried`);
  if (findings.some(({ result }) => result === 'broken')) process.exitCode = 1;
}
