import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { eventually } from '../mocha/eventually.ts';
import { type SpawnedProgram, spawnService } from '../program/spawned-program.ts';
import { TestCli } from '../program/test-cli.ts';
import { handbookPath, readDocument } from './documents.ts';
import { pageSteps } from './page-steps.ts';

/** Programs that pages use and a machine may lack. */
const foreignPrograms = ['curl', 'jq', 'openssl', 'base64'];
const program = join(sourceRoot, 'dist/bundle/main.js');

/** Names the programs that the commands use and this machine lacks. */
export function missingPrograms(commands: readonly string[]): string[] {
  const used = foreignPrograms.filter((name) => commands.some((command) => new RegExp(`\\b${name}\\b`).test(command)));
  return used.filter((name) => spawnSync('which', [name]).status !== 0);
}

export interface PageOptions {
  /** Settings of the service and the commands, as environment variables. @default none */
  readonly settings?: Readonly<Record<string, string>>;
  /** What stands in place of texts of the page, such as the address of a receiver. @default nothing */
  readonly replaced?: Readonly<Record<string, string>>;
}

/**
 * Runs what pages show, in the folder of a service of their own, with the store that the examples of all pages begin with.
 */
export class PageRunner implements AsyncDisposable {
  readonly cli: TestCli;
  readonly service: SpawnedProgram;
  readonly #url: string;
  readonly #replaced: Readonly<Record<string, string>>;
  /** What assigned variables hold, as commands that assign them. */
  readonly #assignments: string[] = [];
  #token = '';

  private constructor(cli: TestCli, service: SpawnedProgram, url: string, replaced: Readonly<Record<string, string>>) {
    this.cli = cli;
    this.service = service;
    this.#url = url;
    this.#replaced = replaced;
  }

  /** Starts a service in a copy of a folder that `prepareFolder` made. */
  static async start(prepared: TestCli, { settings = {}, replaced = {} }: PageOptions = {}): Promise<PageRunner> {
    const cli = new TestCli(undefined, settings);
    cpSync(prepared.folder, cli.folder, { recursive: true });
    const { service, url } = await spawnService(cli);
    // It listens before its worker has a lease.
    await eventually('a worker runs', async () => !(await cli.command('summary')).out.includes('no worker runs'));
    return new PageRunner(cli, service, url, replaced);
  }

  /** Saves the files and runs the commands of a page, in order. @returns what each command printed. @throws Error if one fails. */
  runPage(path: string): Promise<string[]> {
    return this.runDocument(readDocument(`${handbookPath}/${path}.md`));
  }

  /** Does the same with any document. */
  async runDocument(markdown: string): Promise<string[]> {
    const outputs: string[] = [];
    for (const step of pageSteps(markdown)) {
      if (step.kind === 'command') outputs.push(await this.#run(step.command));
      else this.#save(step.name, step.text);
    }
    return outputs;
  }

  #save(name: string, text: string): void {
    const path = join(this.cli.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async #run(command: string): Promise<string> {
    const filled = this.#fill(command);
    const [, assigned] = /^(?:export )?([A-Z_]+)=\S*(?:\$\(.*\)|'[^']*'|"[^"]*"|)\S*$/s.exec(filled) ?? [];
    const out = assigned ? '' : await this.#output(filled);
    if (assigned) this.#assignments.push((await this.#shell(`${filled}\ndeclare -p ${assigned}`)).trim());
    this.#token = /hor_[\w-]{16,}/.exec(`${out}${this.#assignments.at(-1)}`)?.[0] ?? this.#token;
    return out;
  }

  /** Commands of horarium alone run in this process, which takes a tenth of the time. */
  async #output(command: string): Promise<string> {
    if (!/^horarium /.test(command) || /[|<>&]|\$\(/.test(command)) return this.#shell(command);
    const words = (await this.#shell(`horarium() { printf '%s\\0' "$@"; }\n${command}`)).split('\0').slice(0, -1);
    const { code, out, err } = await this.cli.run(words, {
      answers: ['correct horse battery', 'correct horse battery'],
    });
    if (code !== 0) throw new Error(`${command}\nended with ${code}: ${out}${err}`);
    return out;
  }

  #fill(command: string): string {
    const replaced = Object.entries(this.#replaced).reduce((text, [from, to]) => text.replaceAll(from, to), command);
    return replaced
      .replace(/http:\/\/(?:127\.0\.0\.1|localhost):8080/g, this.#url.replace('/api/v1', ''))
      .replace(/\bPASSWORD\b/g, "'correct horse battery'")
      .replaceAll('hor_…', this.#token);
  }

  #shell(command: string): Promise<string> {
    const lines = [
      'set -euo pipefail',
      `horarium() { '${process.execPath}' '${program}' "$@"; }`,
      'curl() { command curl -sS --fail-with-body --max-time 20 "$@"; }',
      ...this.#assignments,
      command,
    ];
    const { PATH, TMPDIR } = process.env;
    // In a session of its own, so that curl finds no terminal and reads the password from the input.
    const shell = spawn('bash', ['--norc', '-c', lines.join('\n')], {
      cwd: this.cli.folder,
      detached: true,
      // The commands that name the address of the service know its port from the settings.
      env: { PATH, TMPDIR, ...this.cli.environment, HORARIUM_PORT: new URL(this.#url).port },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const printed = { out: '', err: '' };
    for (const [name, stream] of [
      ['out', shell.stdout],
      ['err', shell.stderr],
    ] as const)
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    shell.stdin.on('error', () => undefined).end('correct horse battery\n');
    return new Promise((resolve, reject) => {
      shell.on('error', reject).on('close', (code) => {
        if (code === 0) resolve(printed.out);
        else reject(new Error(`${command}\nended with ${code}: ${printed.out}${printed.err}`));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.service.process.kill('SIGTERM');
    await this.service.ended;
    this.cli[Symbol.dispose]();
  }
}

/** Makes a folder with an empty store. */
export async function emptyFolder(): Promise<TestCli> {
  const cli = new TestCli();
  await runAll(cli, [['migrate']]);
  return cli;
}

/** Makes a folder with the store that the examples of all pages begin with, by the commands of the page of contents. */
export async function prepareFolder(): Promise<TestCli> {
  const cli = await emptyFolder();
  for (const step of pageSteps(readDocument(`${handbookPath}/README.md`)))
    if (step.kind === 'file') writeFileSync(join(cli.folder, step.name), step.text);
    else await runAll(cli, [wordsOf(step.command)]);
  // No window begins meanwhile, so the first job of a page has the id 1.
  await runAll(
    cli,
    [1, 2].map((id) => ['runtemplate:save', '--id', `${id}`, '--starts-at', '2100-01-01T00:00:00Z']),
  );
  return cli;
}

/** Splits `horarium company:save --name 'Acme Ltd'` into the arguments of the program. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word).slice(1);
}

async function runAll(cli: TestCli, lines: readonly string[][]): Promise<void> {
  for (const words of lines) {
    const { code, err } = await cli.run(words);
    if (code !== 0) throw new Error(err);
  }
}
