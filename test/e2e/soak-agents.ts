import { agentKillRun } from '../support/faults/agents/agent-kill-run.ts';
import { natsServer } from '../support/nats/test-nats.ts';

/**
 * `npm run soak-agents -- [KILLS] [SEED]` kills agents, hosts, NATS servers and PostgreSQL under load, 300 times by default:
 * two thirds of them with two hosts on PostgreSQL, the others with one on SQLite. It exits with 1 at a broken promise.
 */
const [kills = '300', first = String(Math.floor(Date.now() / 1000) % 1_000_000)] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(kills) || !/^\d+$/.test(first)) {
  console.error('npm run soak-agents -- [KILLS] [SEED]: both are positive numbers.');
  process.exit(2);
}
if (natsServer === undefined) {
  console.error('HORARIUM_TEST_NATS_SERVER must name nats-server.');
  process.exit(2);
}
const seed = Number(first);
const onSqlite = Math.floor(Number(kills) / 3);
const fields = [
  { kind: 'postgresql', kills: Number(kills) - onSqlite },
  { kind: 'sqlite', kills: onSqlite },
] as const;

for (const field of fields.filter((each) => each.kills > 0)) {
  const name = `${field.kind}, seed ${seed}`;
  const onProgress = (sentence: string) => console.log(`${name}: ${sentence}`);
  const { violations, figures } = await agentKillRun({ ...field, seed, interval: 9000, onProgress });
  console.log(`${name}: ${JSON.stringify(figures)}`);
  for (const violation of violations) console.log(`  ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
