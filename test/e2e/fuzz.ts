import { fuzz } from '../support/fuzz/fuzz.ts';
import { memoryTarget } from '../support/fuzz/memory-target.ts';
import { spawnedTarget } from '../support/fuzz/spawned-target.ts';

/**
 * `npm run fuzz -- [MINUTES] [SEED]` sends malformed requests to services for a quarter of an hour by default, on each
 * kind of store in turn, and exits with 1 at the first broken promise.
 */
const [minutes = '15', first = String(Math.floor(Date.now() / 1000) % 1_000_000)] = process.argv.slice(2);
if (!(Number(minutes) > 0) || !/^\d+$/.test(first)) {
  console.error('npm run fuzz -- [MINUTES] [SEED]: both are positive numbers.');
  process.exit(2);
}
const until = performance.now() + Number(minutes) * 60_000;
const requests = 3000;
const open = [() => spawnedTarget('sqlite'), () => spawnedTarget('postgresql'), memoryTarget];

for (let seed = Number(first); performance.now() < until && !process.exitCode; seed += 1) {
  await using target = await (open[seed % open.length] as (typeof open)[number])();
  const onProgress = (sent: number) => {
    if (process.stdout.isTTY && sent % 100 === 0) process.stdout.write(`\r${target.store}, seed ${seed}: ${sent}`);
  };
  const { findings, statuses, succeeded, slowest } = await fuzz(target, { seed, requests, onProgress });
  const counts = [...statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status || 'none'} ${count}`);
  console.log(`\r${target.store}, seed ${seed}: ${counts.join(', ')}; ${succeeded} endpoints responded with 2xx`);
  console.log(`The slowest took ${slowest.milliseconds} ms: ${slowest.request.slice(0, 1000)}`);
  for (const finding of findings) console.log(`\n${finding}`);
  if (findings.length > 0) process.exitCode = 1;
}
