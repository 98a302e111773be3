// An older Node is refused before a module asks for what it lacks.
import '#core/node-version';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Figure, formatNumber, machine, type Report, type Section, writeResults } from './results.ts';

interface Program {
  /** The subject of the measurement, which is the heading of its table. */
  readonly name: string;
  /** @param minutes how long a program measures that has a duration; by default its own. */
  run(report: Report, minutes?: number): Promise<void>;
}

const programs: Readonly<Record<string, () => Promise<Program>>> = {
  get: () => import('./programs/get-app.ts'),
  list: () => import('./programs/list-apps.ts'),
  post: () => import('./programs/post-app.ts'),
  auditlog: () => import('./programs/audit-pages.ts'),
  shell: () => import('./programs/shell.ts'),
  within: () => import('./programs/schedule-within.ts'),
  drain: () => import('./programs/drain.ts'),
  burst: () => import('./programs/burst.ts'),
  chains: () => import('./programs/chains.ts'),
  fairness: () => import('./programs/fairness.ts'),
  sources: () => import('./programs/sources.ts'),
  deliveries: () => import('./programs/deliveries.ts'),
  growth: () => import('./programs/growth.ts'),
  summary: () => import('./programs/summary.ts'),
  changes: () => import('./programs/changes.ts'),
  timeline: () => import('./programs/timeline.ts'),
  'timeline-page': () => import('./programs/timeline-page.ts'),
  'console-load': () => import('./programs/console-load.ts'),
  'console-runs': () => import('./programs/console-runs.ts'),
  'console-bundle': () => import('./programs/console-bundle.ts'),
  'agents-start': () => import('./programs/agents-start.ts'),
  'agents-rate': () => import('./programs/agents-rate.ts'),
  'agents-kill': () => import('./programs/agents-kill.ts'),
  'agents-output': () => import('./programs/agents-output.ts'),
  'agents-idle': () => import('./programs/agents-idle.ts'),
  templates: () => import('./programs/templates.ts'),
  redaction: () => import('./programs/redaction.ts'),
  windows: () => import('./programs/windows.ts'),
  simulation: () => import('./programs/simulation.ts'),
  commands: () => import('./programs/commands.ts'),
  crontabs: () => import('./programs/crontabs.ts'),
  retention: () => import('./programs/retention.ts'),
  backup: () => import('./programs/backup.ts'),
  start: () => import('./programs/start.ts'),
  import: () => import('./programs/import.ts'),
  memory: () => import('./programs/memory.ts'),
  soak: () => import('./programs/soak.ts'),
};
/** Takes ten minutes, and therefore runs only when it is named. */
const onRequest = 'soak';
/** What programs need besides, and the variable that names it: without it they are left out. */
const needs: readonly { readonly variable: string; readonly what: string; needs(program: string): boolean }[] = [
  {
    variable: 'HORARIUM_TEST_CHROMIUM',
    what: 'Chromium',
    needs: (program) => ['timeline-page', 'console-load', 'console-runs'].includes(program),
  },
  {
    variable: 'HORARIUM_TEST_NATS_SERVER',
    what: 'nats-server',
    needs: (program) => program.startsWith('agents-'),
  },
];
/** Compares commits, with arguments of its own. */
const pairs = 'pairs';
/** Tells a child process to measure one program. */
const childFlag = '--one';
const resultsFile = fileURLToPath(new URL('../../../test/bench/RESULTS.md', import.meta.url));

/** Measures one program in a process of its own, so that earlier ones neither warm it up nor slow it down. */
function measure(program: string, minutes: readonly string[]): Promise<Section> {
  return new Promise((resolve, reject) => {
    const figures: Figure[] = [];
    let title = program;
    const child = fork(import.meta.filename, [childFlag, program, ...minutes], { execArgv: ['--expose-gc'] });
    child.on('message', (message: Figure | { readonly title: string }) => {
      if ('title' in message) {
        title = message.title;
        console.log(`\n${program}: ${title}`);
        return;
      }
      figures.push(message);
      console.log(`  ${message.name.padEnd(88)} ${formatNumber(message.value).padStart(12)} ${message.unit}`);
    });
    child.on('exit', (code) => {
      if (code !== 0) return reject(new Error(`The bench ${program} failed.`));
      resolve({ program, title, machine: machine(), day: new Date().toISOString().slice(0, 10), figures });
    });
  });
}

async function measureHere(program: string, minutes?: number): Promise<void> {
  const { name, run } = await (programs[program] as () => Promise<Program>)();
  process.send?.({ title: name });
  const figure: Report['figure'] = (name, value, unit, target) =>
    process.send?.({ name, value, unit, target: target ?? null } satisfies Figure);
  await run({ figure }, minutes);
  process.disconnect();
}

/** Writes the results after each program, so that an interrupted run loses none of them. */
async function measureAll(names: readonly string[], minutes: readonly string[], write: boolean): Promise<void> {
  console.log(machine());
  for (const name of names) {
    const missing = needs.find((each) => each.needs(name) && process.env[each.variable] === undefined);
    if (missing) {
      console.log(`\n${name}: skipped, because ${missing.variable} names no ${missing.what}`);
      continue;
    }
    const section = await measure(name, minutes);
    if (write) writeResults(resultsFile, [section], Object.keys(programs));
  }
}

const usage = `npm run bench -- [NAME…] [MINUTES] [--no-write]

Measures the programs named, or all but ${onRequest}, and writes their tables into test/bench/RESULTS.md.
Programs: ${Object.keys(programs).join(', ')}

npm run bench -- ${pairs} --with COMMIT prints this tree beside another commit; --help tells more.`;

const args = process.argv.slice(2);
const minutes = args.filter((argument) => /^\d+(\.\d+)?$/.test(argument)).slice(0, 1);
const flags = args.filter((argument) => argument.startsWith('-'));
const names = args.filter((argument) => !minutes.includes(argument) && !flags.includes(argument));
const unknown = [
  ...names.filter((name) => !(name in programs)),
  ...flags.filter((flag) => flag !== childFlag && flag !== '--no-write' && flag !== '--help'),
];
if (args[0] === pairs) process.exitCode = await (await import('./pairs/pairs.ts')).runPairs(args.slice(1));
else if (flags.includes('--help')) console.log(usage);
else if (unknown.length > 0) {
  console.error(`There is no bench or option ${unknown.join(', ')}.\n\n${usage}`);
  process.exitCode = 2;
} else if (flags.includes(childFlag)) await measureHere(names[0] as string, ...minutes.map(Number));
else {
  const usual = Object.keys(programs).filter((name) => name !== onRequest);
  await measureAll(names.length > 0 ? names : usual, minutes, !flags.includes('--no-write'));
}
