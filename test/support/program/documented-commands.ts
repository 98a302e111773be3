import { spawn, spawnSync } from 'node:child_process';

/** Whether the machine has curl. */
export function hasCurl(): boolean {
  return spawnSync('curl', ['--version']).status === 0;
}

export interface CommandOptions {
  /** Replaces the placeholders that readers fill in themselves, such as the address. */
  readonly substitute: (command: string) => string;
  /** The input of each command, for one that asks for a password. */
  readonly password: string;
}

/** Runs documented commands one after the other, as in one shell. */
export class DocumentedCommands {
  /** The output of each command, in order. */
  readonly outputs: string[] = [];
  readonly #options: CommandOptions;
  readonly #assignments: string[] = [];

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  /** Runs one command. @returns its output. @throws Error when it fails. */
  async run(command: string): Promise<string> {
    const filled = this.#options.substitute(command);
    if (/^\w+=/.test(filled)) {
      this.#assignments.push(filled);
      return '';
    }
    const script = [...this.#assignments, filled.replace(/^curl /, 'curl -sS --fail-with-body --max-time 20 ')].join(
      '\n',
    );
    const { PATH, TMPDIR } = process.env;
    // In a session of its own, so that curl finds no terminal and reads the password from the input.
    const shell = spawn('bash', ['-c', script], {
      detached: true,
      env: { PATH, TMPDIR },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    shell.stdin.on('error', () => undefined).end(`${this.#options.password}\n`);
    const code = await new Promise((resolve, reject) => shell.on('error', reject).on('close', resolve));
    if (code !== 0) throw new Error(`${filled}\nended with ${code}: ${out}${err}`);
    this.outputs.push(out);
    return out;
  }
}
