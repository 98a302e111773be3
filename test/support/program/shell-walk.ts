import { spawn, spawnSync } from 'node:child_process';

/** Whether there is a curl that a walk can be done with. */
export function hasCurl(): boolean {
  return spawnSync('curl', ['--version']).status === 0;
}

export interface WalkOptions {
  /** What readers see to themselves: what stands in the text, and what it is in their place. */
  readonly fill: (command: string) => string;
  /** What is typed when a command asks for something. */
  readonly typed: string;
}

/** Commands that a text tells its readers to type, done one after the other in one shell's place. */
export class ShellWalk {
  /** What each command printed, in order. */
  readonly printed: string[] = [];
  readonly #options: WalkOptions;
  readonly #assignments: string[] = [];

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  /** @throws Error when the command fails. @returns what it printed. */
  async do(command: string): Promise<string> {
    const filled = this.#options.fill(command);
    if (/^\w+=/.test(filled)) {
      this.#assignments.push(filled);
      return '';
    }
    const script = [...this.#assignments, filled.replace(/^curl /, 'curl -sS --fail-with-body --max-time 20 ')].join(
      '\n',
    );
    const { PATH } = process.env;
    // In a session of its own, so that curl finds no terminal to ask and reads what is typed.
    const shell = spawn('bash', ['-c', script], { detached: true, env: { PATH }, stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    shell.stdin.on('error', () => undefined).end(`${this.#options.typed}\n`);
    const code = await new Promise((resolve, reject) => shell.on('error', reject).on('close', resolve));
    if (code !== 0) throw new Error(`${filled}\nended with ${code}: ${out}${err}`);
    this.printed.push(out);
    return out;
  }
}

/** The commands in a section of Markdown, without its subsections: what follows `$ ` in its blocks of code, with the lines that continue it. */
export function commandsIn(markdown: string, heading: string): string[] {
  const section = markdown.split(`\n## ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? '';
  return [...section.matchAll(/^ {4}\$ ((?:.*\\\n)*.*)$/gm)].map(([, command]) => command as string);
}
