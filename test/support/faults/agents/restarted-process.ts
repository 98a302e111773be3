import { setTimeout as pause } from 'node:timers/promises';
import type { SpawnedProgram } from '../../program/spawned-program.ts';

/** One process of a program that is killed and started again. */
export interface ProcessLifetime {
  readonly program: SpawnedProgram;
  readonly from: number;
  /** When it ended or was killed; Infinity = it lives. */
  to: number;
}

/** A program that is started again when it ends by itself, as systemd does, because what it needs may be gone at its start. */
export class RestartedProcess {
  readonly name: string;
  readonly lifetimes: ProcessLifetime[] = [];
  /** What its processes wrote last that ended by themselves. */
  readonly exits: string[] = [];
  readonly #spawn: () => SpawnedProgram;
  readonly #onStart: (program: SpawnedProgram) => void;
  #isWanted = false;

  /** @param onStart called with each of its processes. */
  constructor(name: string, spawn: () => SpawnedProgram, onStart: (program: SpawnedProgram) => void = () => {}) {
    this.name = name;
    this.#spawn = spawn;
    this.#onStart = onStart;
  }

  /** Its process; undefined = there is none at this moment. */
  get current(): SpawnedProgram | undefined {
    const last = this.lifetimes.at(-1);
    return last?.to === Infinity ? last.program : undefined;
  }

  start(): void {
    this.#isWanted = true;
    if (!this.current) this.#run();
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    await this.#end('SIGKILL');
  }

  /** Asks it to end. @returns its exit code; undefined = there was no process. */
  async stop(): Promise<number | string | undefined> {
    this.#isWanted = false;
    return this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<number | string | undefined> {
    const program = this.current;
    program?.process.kill(signal);
    return program?.ended;
  }

  #run(): void {
    const lifetime = { program: this.#spawn(), from: Date.now(), to: Infinity };
    this.lifetimes.push(lifetime);
    this.#onStart(lifetime.program);
    void lifetime.program.ended.then(async (code) => {
      lifetime.to = Date.now();
      if (!this.#isWanted) return;
      this.exits.push(`${this.name} ended with ${code}: ${lifetime.program.messages.trim()}`);
      await pause(500);
      if (this.#isWanted && !this.current) this.#run();
    });
  }
}
