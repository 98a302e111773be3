import {
  type ActionDelivery,
  DeliveryRefused,
  type DeliveryResult,
  fillNotice,
  HorariumError,
  type Notice,
  noticeText,
  noticeValues,
  serializeNotice,
} from '@horarium/core/plugin';
import { fileInside } from '../process/launcher/find-executable.ts';
import { ProcessGroup } from '../process/sandbox/process-table.ts';
import { spawnProgram, usualPath } from '../process/sandbox/program.ts';
import { type Identity, userNamed } from '../process/users/users.ts';

/** What a program is started with. */
interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly subject: string | null;
  readonly text: string | null;
}

interface RunOptions {
  readonly executables: readonly string[];
  /** Null = that of the service. */
  readonly identity: Identity | null;
  readonly signal: AbortSignal;
}

/** What every program has of an environment. */
const environment = { PATH: usualPath, LANG: 'C.UTF-8' };
/** The bytes of output that a delivery shows. */
const maxOutput = 1000;

/** @throws HorariumError `invalid` for a user that this machine does not have. */
export function identityOf(user: string | null): Identity | null {
  if (user === null || process.getuid?.() !== 0) return null;
  const found = userNamed(user);
  if (!found)
    throw new HorariumError(
      'invalid',
      `The plugin action-command cannot run programs as ${user}: there is no such user.`,
    );
  return { uid: found.uid, gid: found.gid };
}

/** Returns why a program may not be run; null = it may. Links are followed, so that none leads out of the folders. */
export function programRefusal(program: string, executables: readonly string[]): string | null {
  if (executables.length === 0 || fileInside(program, executables) !== null) return null;
  return `the program ${program} is not inside ${executables.join(', ')}`;
}

/**
 * Fills an argument. What fills it cannot make it an option: a blank is put before it, so that a template named `--help`
 * neither changes what the program does nor keeps a notice from people.
 */
function argumentOf(argument: string, notice: Notice): string {
  const filled = fillNotice(argument, notice);
  return filled.startsWith('-') && !argument.startsWith('-') ? ` ${filled}` : filled;
}

/**
 * Runs a program with the message as its standard input, and what the notice says in its environment; it gets nothing else
 * of the environment of the service. The program and what it started are killed when the signal aborts.
 * @throws DeliveryRefused when it does not end with 0.
 */
export function runCommand(
  { id, options, notice }: Pick<ActionDelivery, 'id' | 'notice'> & { readonly options: Readonly<Command> },
  { executables, identity, signal }: RunOptions,
): Promise<DeliveryResult> {
  const { program } = options;
  const refusal = programRefusal(program, executables);
  if (refusal !== null) throw new Error(`It was not run: ${refusal}.`);
  signal.throwIfAborted();
  const { subject, text } = noticeText(notice, options);
  const { details: _details, ...values } = noticeValues(notice);
  const facts = Object.entries({
    ...values,
    subject,
    delivery_id: id,
    notice: JSON.stringify(serializeNotice(notice)),
  });
  const named = facts.map(([name, value]) => [`HORARIUM_${name.toUpperCase()}`, value.replaceAll('\0', '')]);
  const child = spawnProgram(
    {
      file: program,
      calledAs: program,
      arguments: options.arguments.map((argument) => argumentOf(argument, notice)),
      folder: '/',
      directory: '/',
      home: null,
      inputs: null,
      environment: { ...environment, ...Object.fromEntries(named) },
      identity,
    },
    ['pipe', 'pipe', 'pipe'],
  );
  const group = child.pid === undefined ? null : new ProcessGroup(child.pid);
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      if (output.length < maxOutput) output += chunk.toString();
    };
    const kill = () => group?.signal('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.stdin?.on('error', () => {}).end(text);
    child.on('error', ({ message }) => reject(new Error(`The program ${program} cannot be started: ${message}.`)));
    child.on('close', (code, killedBy) => {
      signal.removeEventListener('abort', kill);
      kill();
      const response = output.slice(0, maxOutput);
      if (code === 0) return resolve({ status: 0, response });
      const ending = signal.aborted
        ? 'did not end in time'
        : killedBy === null
          ? `ended with the exit code ${code}`
          : `was ended by ${killedBy}`;
      reject(
        new DeliveryRefused(`The program ${program} ${ending}.`, { ...(code !== null && { status: code }), response }),
      );
    });
  });
}
