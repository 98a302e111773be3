import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceRoot } from '../../house/source-files.ts';
import { eventually } from '../mocha/eventually.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';
import { TestCli } from '../program/test-cli.ts';

/** The service as it was built, file by file, and not in one bundle. */
const program = join(import.meta.dirname, '../../../host/main.js');

interface CoveredScript {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** A service on SQLite whose inspector counts the calls of each function. */
export class CoveredService implements AsyncDisposable {
  readonly url: string;
  readonly cli: TestCli;
  readonly #service: SpawnedProgram;
  readonly #inspector: Inspector;

  private constructor(cli: TestCli, service: SpawnedProgram, inspector: Inspector, url: string) {
    this.cli = cli;
    this.#service = service;
    this.#inspector = inspector;
    this.url = url;
  }

  static async start(): Promise<CoveredService> {
    const cli = new TestCli(undefined, { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
    const service = new SpawnedProgram(['serve', '--port', '0', '--workers', '2'], cli, { program });
    const [, url = ''] = await service.waitForOutput(/^listening on (\S+)$/m);
    const [, address = ''] = /Debugger listening on (\S+)/.exec(service.err) ?? [];
    const inspector = await Inspector.connect(address);
    await inspector.call('Profiler.enable');
    await inspector.call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return new CoveredService(cli, service, inspector, url);
  }

  /** Does some work. @returns the source files whose functions ran meanwhile. */
  async filesDuring(work: () => Promise<void>): Promise<Set<string>> {
    await this.#take();
    await work();
    return new Set(await this.#take());
  }

  /** @returns the files that have run since the last call. */
  async #take(): Promise<string[]> {
    const { result } = (await this.#inspector.call('Profiler.takePreciseCoverage')) as { result: CoveredScript[] };
    return result
      .filter(({ functions }) => functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0))
      .flatMap(({ url }) => sourceOf(url));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#inspector.close();
    this.#service.process.kill('SIGKILL');
    await this.#service.ended;
    this.cli[Symbol.dispose]();
  }
}

/** Returns the source file of a built one of ours, relative to the root. */
function sourceOf(url: string): string[] {
  if (!url.startsWith('file:')) return [];
  const path = relative(sourceRoot, fileURLToPath(url));
  const [, file] = /^(?:dist\/(?=adapters|host|plugins)|(?=core\/dist\/))(.*)\.js$/.exec(path) ?? [];
  return file === undefined ? [] : [`${file.replace(/^core\/dist\//, 'core/')}.ts`];
}

/** Calls methods of the Chrome DevTools Protocol. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: object) => void>();
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result, error } = JSON.parse(String(data));
      this.#waiting.get(id)?.(result ?? { error });
      this.#waiting.delete(id);
    });
  }

  static async connect(address: string): Promise<Inspector> {
    const socket = new WebSocket(address);
    await eventually('the inspector answers', async () => socket.readyState === WebSocket.OPEN);
    return new Inspector(socket);
  }

  call(method: string, params: object = {}): Promise<object> {
    const id = ++this.#calls;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}
