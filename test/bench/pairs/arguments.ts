import { parseArgs } from 'node:util';

/** The groups of rows that `--only` names, in the order in which they are measured. */
export const groups = ['statements', 'start', 'drained', 'burst', 'memory', 'get', 'shell', 'drain'] as const;
export type Group = (typeof groups)[number];

const maxCommits = 3;
const maxRounds = 9;

export interface PairsArguments {
  /** What the caller wrote after each `--with`. */
  readonly commits: readonly string[];
  /** How many times each group is measured on each side. */
  readonly rounds: number;
  readonly only: readonly Group[];
}

/** The caller asked for something that cannot be done; the message says what. */
export class PairsError extends Error {}

export const pairsUsage = `npm run bench -- pairs --with COMMIT [--with COMMIT…] [--rounds N] [--only NAME,…]

Builds COMMIT beside this tree, measures both by turns and prints one table. Nothing is written into the checkout.

  --with COMMIT   a commit, branch or tag to compare with; up to ${maxCommits}
  --rounds N      how many times each side is measured (1; up to ${maxRounds}); one round takes about eight minutes on quiet cores
  --only NAME,…   only these groups of rows: ${groups.join(', ')}

Builds are kept in the folder for temporary files, and used again.`;

/** @throws PairsError for arguments that do not fit. */
export function readPairsArguments(args: readonly string[]): PairsArguments | 'help' {
  const { values } = parsed(args);
  if (values.help) return 'help';
  const commits = [...new Set(values.with ?? [])];
  if (commits.length === 0) throw new PairsError('Name the commit to compare with: --with COMMIT.');
  if (commits.length > maxCommits) throw new PairsError(`No more than ${maxCommits} commits can be compared at once.`);
  const rounds = Number(values.rounds ?? 1);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > maxRounds)
    throw new PairsError(`--rounds must be a whole number from 1 to ${maxRounds}, not "${values.rounds}".`);
  return { commits, rounds, only: readGroups(values.only) };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        with: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        only: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new PairsError((error as Error).message);
  }
}

function readGroups(text: string | undefined): readonly Group[] {
  if (text === undefined) return groups;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !groups.some((group) => group === name));
  if (unknown.length > 0)
    throw new PairsError(`There is no group ${unknown.join(', ')}: --only takes ${groups.join(', ')}.`);
  return groups.filter((group) => names.includes(group));
}
