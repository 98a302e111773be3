import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { type Figure, markdown, type Report, shown } from './report.ts';

interface Bench {
  readonly name: string;
  run(report: Report): Promise<void>;
}

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  windows: () => import('./windows.ts'),
  simulation: () => import('./simulation.ts'),
  shell: () => import('./shell.ts'),
  drain: () => import('./drain.ts'),
  growth: () => import('./growth.ts'),
  burst: () => import('./burst.ts'),
  templates: () => import('./templates.ts'),
  start: () => import('./start.ts'),
  memory: () => import('./memory.ts'),
  get: () => import('./get-item.ts'),
  list: () => import('./list-items.ts'),
  post: () => import('./post-item.ts'),
};
const one = '--one';

/** Runs one of them in a process of its own, so that none is slowed down, or warmed up, by those before it. */
function inOwnProcess(name: string): Promise<Figure[]> {
  return new Promise((resolve, reject) => {
    const figures: Figure[] = [];
    const child = fork(import.meta.filename, [one, name], { execArgv: ['--expose-gc'] });
    child.on('message', (figure: Figure) => {
      figures.push(figure);
      console.log(`${figure.name.padEnd(90)} ${shown(figure.value).padStart(12)} ${figure.unit}`);
    });
    child.on('exit', (code) => (code === 0 ? resolve(figures) : reject(new Error(`The bench ${name} failed.`))));
  });
}

async function runHere(name: string): Promise<void> {
  const bench = await (benches[name] as () => Promise<Bench>)();
  await bench.run({
    figure: (figure, value, unit, target) =>
      process.send?.({ name: `${bench.name}: ${figure}`, value, unit, target: target ?? null } satisfies Figure),
  });
  process.disconnect();
}

function machine(): string {
  const all = cpus();
  return `${all[0]?.model.trim() ?? process.arch}, ${all.length} cores, Node ${process.versions.node}`;
}

async function runAll(names: readonly string[]): Promise<void> {
  console.log(`${machine()}\n`);
  const figures: Figure[] = [];
  for (const name of names) figures.push(...(await inOwnProcess(name)));
  console.log(`\n${machine()}\n\n${markdown(figures)}`);
}

const wanted = process.argv.slice(2);
if (wanted[0] === one) await runHere(wanted[1] as string);
else {
  const unknown = wanted.find((name) => !(name in benches));
  if (unknown === undefined) await runAll(wanted.length > 0 ? wanted : Object.keys(benches));
  else {
    console.error(`There is no bench ${unknown}; there are ${Object.keys(benches).join(', ')}.`);
    process.exitCode = 1;
  }
}
