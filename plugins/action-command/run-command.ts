import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
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
import { type Identity, userNamed } from '../users/users.ts';

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
  if (executables.length === 0) return null;
  const real = realPath(program);
  const isInside = executables.some((folder) =>
    real?.startsWith(`${(realPath(folder) ?? folder).replace(/\/$/, '')}${sep}`),
  );
  return isInside ? null : `the program ${program} is not inside ${executables.join(', ')}`;
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
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
  const child = spawn(
    program,
    options.arguments.map((argument) => argumentOf(argument, notice)),
    {
      cwd: '/',
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        LANG: 'C.UTF-8',
        ...Object.fromEntries(
          facts.map(([name, value]) => [`HORARIUM_${name.toUpperCase()}`, value.replaceAll('\0', '')]),
        ),
      },
      // A group of its own, so that what it starts ends with it.
      detached: true,
      ...identity,
    },
  );
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      if (output.length < maxOutput) output += chunk.toString();
    };
    const kill = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    signal.addEventListener('abort', kill, { once: true });
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.stdin.on('error', () => {}).end(text);
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
