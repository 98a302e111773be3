import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { type Figure, markdown, type Report, shown } from './report.ts';

interface Bench {
  readonly name: string;
  /** @param minutes how long, of those that take as long as they are told; their usual time when left out. */
  run(report: Report, minutes?: number): Promise<void>;
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
  auditlog: () => import('./audit-pages.ts'),
  soak: () => import('./soak.ts'),
};
/** Runs only when it is asked for by name. */
const long = 'soak';
const one = '--one';

/** Runs one of them in a process of its own, so that none is slowed down, or warmed up, by those before it. */
function inOwnProcess(name: string, minutes: readonly string[]): Promise<Figure[]> {
  return new Promise((resolve, reject) => {
    const figures: Figure[] = [];
    const child = fork(import.meta.filename, [one, name, ...minutes], { execArgv: ['--expose-gc'] });
    child.on('message', (figure: Figure) => {
      figures.push(figure);
      console.log(`${figure.name.padEnd(90)} ${shown(figure.value).padStart(12)} ${figure.unit}`);
    });
    child.on('exit', (code) => (code === 0 ? resolve(figures) : reject(new Error(`The bench ${name} failed.`))));
  });
}

async function runHere(name: string, minutes?: number): Promise<void> {
  const bench = await (benches[name] as () => Promise<Bench>)();
  const figure: Report['figure'] = (words, value, unit, target) =>
    process.send?.({ name: `${bench.name}: ${words}`, value, unit, target: target ?? null } satisfies Figure);
  await bench.run({ figure }, minutes);
  process.disconnect();
}

function machine(): string {
  const all = cpus();
  return `${all[0]?.model.trim() ?? process.arch}, ${all.length} cores, Node ${process.versions.node}`;
}

async function runAll(names: readonly string[], minutes: readonly string[]): Promise<void> {
  console.log(`${machine()}\n`);
  const figures: Figure[] = [];
  for (const name of names) figures.push(...(await inOwnProcess(name, minutes)));
  console.log(`\n${machine()}\n\n${markdown(figures)}`);
}

/** `npm run bench -- [NAME…] [MINUTES]` */
const given = process.argv.slice(2);
const isMinutes = (word: string) => /^\d+(\.\d+)?$/.test(word);
const minutes = given.filter(isMinutes).slice(0, 1);
const wanted = given.filter((word) => !isMinutes(word));
if (wanted[0] === one) await runHere(wanted[1] as string, ...minutes.map(Number));
else {
  const unknown = wanted.find((name) => !(name in benches));
  const usual = Object.keys(benches).filter((name) => name !== long);
  if (unknown === undefined) await runAll(wanted.length > 0 ? wanted : usual, minutes);
  else {
    console.error(`There is no bench ${unknown}; there are ${Object.keys(benches).join(', ')}.`);
    process.exitCode = 1;
  }
}
