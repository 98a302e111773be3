import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sourceRoot } from '../../house/source-files.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Hover {
  readonly contents: { readonly value: string };
}

interface Completions {
  readonly items: readonly { readonly label: string }[];
}

/** The language server of TypeScript, asked about one program as an editor asks it. */
export class LanguageServer implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (answer: Message) => void>();
  readonly #text: string;
  readonly #uri: string;
  #received = Buffer.alloc(0);
  #requests = 0;

  private constructor(file: string) {
    this.#text = readFileSync(file, 'utf8');
    this.#uri = pathToFileURL(file).href;
    const tsc = join(sourceRoot, 'node_modules/.bin/tsc');
    this.#process = spawn(tsc, ['--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#process.stdout?.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  /** @param file the program, beside a `tsconfig.json`. */
  static async open(file: string): Promise<LanguageServer> {
    const server = new LanguageServer(file);
    const hover = { contentFormat: ['markdown'] };
    await server.#ask('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: { textDocument: { hover } },
    });
    server.#send({ method: 'initialized', params: {} });
    const textDocument = { uri: server.#uri, languageId: 'typescript', version: 1, text: server.#text };
    server.#send({ method: 'textDocument/didOpen', params: { textDocument } });
    return server;
  }

  /** Returns what hovering over the end of a text shows, which the program has once. */
  async hover(text: string): Promise<string> {
    const found = (await this.#ask('textDocument/hover', this.#endOf(text, -1))) as Hover | null;
    return found?.contents.value ?? '';
  }

  /** Returns what completes the program at the end of a text, which the program has once. */
  async complete(text: string): Promise<string[]> {
    const found = (await this.#ask('textDocument/completion', this.#endOf(text, 0))) as Completions | null;
    return (found?.items ?? []).map(({ label }) => label.replace(/\?$/, ''));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'close');
    await this.#ask('shutdown');
    this.#send({ method: 'exit' });
    this.#process.stdin?.end();
    await ended;
  }

  #endOf(text: string, offset: number) {
    const before = this.#text.slice(0, this.#text.indexOf(text) + text.length + offset).split('\n');
    const position = { line: before.length - 1, character: before.at(-1)?.length };
    return { textDocument: { uri: this.#uri }, position };
  }

  async #ask(method: string, params?: unknown): Promise<unknown> {
    this.#requests += 1;
    const id = this.#requests;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params });
    const { result, error } = await answered;
    this.#waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  #send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#process.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const head = this.#received.indexOf('\r\n\r\n');
      const [, length] = /Content-Length: (\d+)/.exec(this.#received.toString('latin1', 0, Math.max(head, 0))) ?? [];
      const end = head + 4 + Number(length);
      if (head < 0 || this.#received.length < end) return;
      const message = JSON.parse(this.#received.toString('utf8', head + 4, end)) as Message;
      this.#received = this.#received.subarray(end);
      // What the server asks of an editor, such as its settings, has no answer here.
      if (message.method !== undefined && message.id !== undefined) this.#send({ id: message.id, result: null });
      else if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    }
  }
}
