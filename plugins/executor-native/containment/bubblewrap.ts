import { type Program, startedBy, systemProgram } from './program.ts';

/** Starts programs under `bwrap`: with the files of the machine as they are, but in a PID namespace of their own. */
export class Bubblewrap {
  readonly #bwrap = systemProgram('bwrap');
  readonly #setsid = systemProgram('setsid');

  /** The same program, started by `bwrap`, with further arguments for that. */
  around(program: Program, more: readonly string[]): Program {
    const life = ['--die-with-parent', '--unshare-pid'];
    const files = ['--dev-bind', '/', '/', '--proc', '/proc', '--chdir', program.folder];
    const { capabilities, user } = switchUser(program);
    return startedBy([this.#bwrap, ...life, ...files, ...capabilities, ...more, '--', this.#setsid, ...user], program);
  }
}

/** Only root keeps capabilities, and under another user those to become that user: it has none itself. */
function switchUser({ identity }: Program): { readonly capabilities: string[]; readonly user: string[] } {
  if (process.getuid?.() !== 0) return { capabilities: [], user: [] };
  if (!identity) return { capabilities: ['--cap-add', 'ALL'], user: [] };
  const ids = ['--reuid', String(identity.uid), '--regid', String(identity.gid), '--clear-groups'];
  return {
    capabilities: ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'],
    user: [systemProgram('setpriv'), ...ids],
  };
}
