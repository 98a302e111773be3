import { setFlagsFromString } from 'node:v8';

const compilers = ['opt', 'maglev'] as const;

/**
 * Leaves out the compilers by which V8 optimizes what runs often. With what they make and the pages of the program of Node.js that
 * hold them they take 10 MB of an idle agent, and a busy one does not gain by them: what takes its time are ciphers and system calls.
 */
export function leaveOutOptimizingCompilers(): void {
  for (const compiler of compilers) setFlagsFromString(`--no-${compiler}`);
}

/** Takes them in again, for plugins that do not come with the host: they may compute. */
export function useOptimizingCompilers(): void {
  for (const compiler of compilers) setFlagsFromString(`--${compiler}`);
}
