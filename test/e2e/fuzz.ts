import { fuzzAudit } from '../support/audit-fuzz/fuzz-audit.ts';
import { openIntruder } from '../support/audit-fuzz/unprotected-log.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';
import { memoryTarget } from '../support/fuzz/memory-target.ts';
import { spawnedTarget } from '../support/fuzz/spawned-target.ts';

/**
 * `npm run fuzz -- [MINUTES] [SEED]` sends malformed requests to services for a quarter of an hour by default, on each
 * kind of store in turn, and exits with 1 at the first broken promise. `npm run fuzz -- --audit [COUNT] [SEED]` changes the
 * sealed audit log of each database that often, 10,000 times by default, and exits with 1 if a change is not noticed.
 */
const isAudit = process.argv[2] === '--audit';
const numbers = process.argv.slice(isAudit ? 3 : 2);
const [length = isAudit ? '10000' : '15', first = String(Math.floor(Date.now() / 1000) % 1_000_000)] = numbers;
if (!(Number(length) > 0) || !/^\d+$/.test(first)) {
  console.error('npm run fuzz -- [MINUTES] [SEED], or --audit [COUNT] [SEED]: all are positive numbers.');
  process.exit(2);
}
if (isAudit) await fuzzAudits(Number(length), Number(first));
else await fuzzServices(Number(length), Number(first));

async function fuzzAudits(count: number, seed: number): Promise<void> {
  for (const kind of ['sqlite', 'postgresql'] as const) {
    await using intruder = await openIntruder(kind);
    const onProgress = (made: number) => showProgress(`${kind}, seed ${seed}: ${made}`, made);
    const { changed, findings } = await fuzzAudit(intruder, { seed, count, onProgress });
    console.log(`\r${kind}, seed ${seed}: ${changed} changes, ${findings.length} not noticed or not survived`);
    for (const finding of findings) console.log(`\n${finding}`);
    if (findings.length > 0) process.exitCode = 1;
  }
}

async function fuzzServices(minutes: number, first: number): Promise<void> {
  const until = performance.now() + minutes * 60_000;
  const requests = 3000;
  const open = [() => spawnedTarget('sqlite'), () => spawnedTarget('postgresql'), memoryTarget];

  for (let seed = first; performance.now() < until && !process.exitCode; seed += 1) {
    await using target = await (open[seed % open.length] as (typeof open)[number])();
    const onProgress = (sent: number) => showProgress(`${target.store}, seed ${seed}: ${sent}`, sent);
    const { findings, statuses, succeeded, slowest } = await fuzz(target, { seed, requests, onProgress });
    const counts = [...statuses]
      .sort(([one], [other]) => one - other)
      .map(([status, count]) => `${status || 'none'} ${count}`);
    console.log(`\r${target.store}, seed ${seed}: ${counts.join(', ')}; ${succeeded} endpoints responded with 2xx`);
    console.log(`The slowest took ${slowest.milliseconds} ms: ${slowest.request.slice(0, 1000)}`);
    for (const finding of findings) console.log(`\n${finding}`);
    if (findings.length > 0) process.exitCode = 1;
  }
}

function showProgress(line: string, count: number): void {
  if (process.stdout.isTTY && count % 100 === 0) process.stdout.write(`\r${line}`);
}
