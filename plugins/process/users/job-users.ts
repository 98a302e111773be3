import { statSync } from 'node:fs';
import { HorariumError } from '@horarium/core/plugin';
import { holderWithin, type Identity, type IdRange, takerWithin, type User, users } from './users.ts';

/** The largest id of a user that Node starts programs as. */
const maxId = 2 ** 31 - 1;

/**
 * The users that jobs of companies may run as, each for one company: users of this machine by name, and ids that no user
 * has. They are checked against the users of the machine when the service starts, and again before each attempt, because
 * some may have been added or removed meanwhile.
 */
export class JobUsers {
  readonly #items: readonly string[];
  readonly #names: readonly string[];
  readonly #ranges: readonly IdRange[];
  readonly #shared: User | null;

  /**
   * @param items names, ids, and ranges of ids such as `20000-20999`.
   * @param shared the user that jobs of all other companies run as; null = that of this process.
   * @throws HorariumError `invalid` for an item that is none of these.
   */
  constructor(items: readonly string[], shared: User | null) {
    this.#items = items;
    this.#shared = shared;
    const isRange = (item: string) => /^\d+(-\d+)?$/.test(item);
    this.#ranges = items.filter(isRange).map(rangeOf);
    this.#names = items.filter((item) => !isRange(item)).map(checkedName);
    const [one, other] = this.#ranges.toSorted((a, b) => a.from - b.from).flatMap(overlapWithNext)[0] ?? [];
    if (one && other) throw invalid(`${textOf(one)} and ${textOf(other)} share ids.`);
  }

  /** Returns why a company cannot have that user; null = it can, as far as the configuration says. */
  refusal(user: string): string | null {
    if (this.#isListed(user)) return null;
    if (this.#items.length === 0) return 'no users are configured that jobs of companies may run as';
    return `jobs of companies may only run as one of ${this.#items.join(', ')}`;
  }

  /**
   * Checks that this process can start programs as each of the users, and that they are separate.
   * @returns warnings of homes that others can read.
   * @throws HorariumError `invalid` naming the first one that cannot be used.
   */
  check(): string[] {
    if (this.#items.length === 0) return [];
    if (process.getuid?.() !== 0) throw invalid('only root can start processes as another user.');
    const known = this.#knownUsers();
    const problem =
      this.#names.map((name) => this.#problemOfName(name, known)).find((found) => found !== null) ??
      this.#ranges.map(problemOfRange).find((found) => found !== null);
    if (problem) throw invalid(`${problem}.`);
    return known.flatMap(warningOfHome);
  }

  /** The user and the group for an attempt of a company, or a sentence that says why it may not run. */
  identityOf(user: string): Identity | string {
    const refuse = (reason: string) => `It was to run as ${user}, but ${reason}.`;
    const refusal = this.refusal(user);
    if (refusal !== null) return refuse(refusal);
    if (process.getuid?.() !== 0) return refuse('only root can start processes as another user');
    const known = this.#knownUsers();
    const isName = this.#names.includes(user);
    const id = Number(user);
    const problem = isName ? this.#problemOfName(user, known) : problemOfRange({ from: id, to: id });
    if (problem !== null) return refuse(problem);
    const { uid, gid } = known.find(({ name }) => name === user) ?? { uid: id, gid: id };
    return { uid, gid };
  }

  /** Whether a user is one of these, by whatever name. */
  includes({ uid }: Identity): boolean {
    return this.#hasId(uid) || this.#knownUsers().some((user) => user.uid === uid);
  }

  #isListed(user: string): boolean {
    if (!/^[1-9]\d*$/.test(user)) return this.#names.includes(user);
    return this.#hasId(Number(user));
  }

  #hasId(id: number): boolean {
    return this.#ranges.some(({ from, to }) => id >= from && id <= to);
  }

  /** Those of the named users that there are. */
  #knownUsers(): User[] {
    const names = new Set(this.#names);
    return users().filter(({ name }) => names.has(name));
  }

  /** Why jobs of a company cannot run as the user of that name, or would not be separate from those of others. */
  #problemOfName(name: string, known: readonly User[]): string | null {
    const user = known.find((each) => each.name === name);
    if (!user) return `there is no user ${name}`;
    if (user.uid === 0 || user.gid === 0) return `${name} has the id or the group of root`;
    if (this.#shared && isRelated(user, this.#shared))
      return `${name} has the id or the group of ${this.#shared.name}, as whom jobs of all other companies run`;
    const taker = [user.uid, user.gid].map((id) => takerWithin({ from: id, to: id })).find((found) => found !== null);
    if (taker) return `the user ${taker} may take the id or the group of ${name} by a user namespace (subuid)`;
    const related = known.find((other) => other.name !== name && isRelated(user, other));
    return related ? `${name} and ${related.name} have the same id or group` : null;
  }
}

/** Whether files that only one of them and its group can read are readable for the other. */
function isRelated(one: Identity, other: Identity): boolean {
  return one.uid === other.uid || one.gid === other.gid;
}

function rangeOf(item: string): IdRange {
  const [from, to = from] = item.split('-').map(Number) as [number, number?];
  if (from === 0) throw invalid(`${item} holds 0, the id of root.`);
  if (from > to) throw invalid(`${item} ends before it begins.`);
  if (to > maxId) throw invalid(`${item} holds ids above ${maxId}.`);
  return { from, to };
}

function checkedName(item: string, index: number, names: readonly string[]): string {
  if (!/^[a-z_][a-z0-9_.-]{0,31}$/i.test(item))
    throw invalid(`${item} is neither a name, nor an id or a range of ids such as 20000-20999.`);
  if (names.indexOf(item) !== index) throw invalid(`${item} is named twice.`);
  return item;
}

function overlapWithNext(range: IdRange, index: number, sorted: readonly IdRange[]): [IdRange, IdRange][] {
  const next = sorted[index + 1];
  return next && next.from <= range.to ? [[range, next]] : [];
}

function problemOfRange(range: IdRange): string | null {
  const holder = holderWithin(range);
  return holder === null ? null : `${textOf(range)} holds ${holder}; users that exist are listed by their names`;
}

function textOf({ from, to }: IdRange): string {
  return from === to ? String(from) : `${from}-${to}`;
}

/** The permission bits of the group and of all other users. */
const openToOthers = 0o077;

/** Warns of a home that others can read or enter, unless it is root's, as that of many users without a home is. */
export function warningOfHome({ name, home }: Pick<User, 'name' | 'home'>): string[] {
  const stat = statOf(home);
  if (!stat?.isDirectory() || stat.uid === 0 || (stat.mode & openToOthers) === 0) return [];
  return [`the home ${home} of ${name} is open to other users: chmod 700 closes it`];
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A part of the path is not a folder, or is a loop of links.
    return undefined;
  }
}

function invalid(sentence: string): HorariumError {
  return new HorariumError(
    'invalid',
    `Companies cannot have the users that are configured for their jobs: ${sentence}`,
  );
}
