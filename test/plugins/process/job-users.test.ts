import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { JobUsers, warningOfHome } from '../../../plugins/process/users/job-users.ts';
import { userNamed } from '../../../plugins/process/users/users.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { livingProcesses } from '../../support/program/processes.ts';
import { NativeRun } from '../executor-native/native-run.ts';

const isRoot = process.getuid?.() === 0;
const nobody = userNamed('nobody');
const daemon = userNamed('daemon');
/** The first of ten ids that no user of a usual machine has, and no other test run. */
const freeId = 1_900_000_000 + 10 * process.pid;

/** The living processes of a user. */
function processesOf(uid: number): number[] {
  const pids = livingProcesses().map(({ pid }) => pid);
  return pids.filter((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid);
}

/** Why the items cannot be configured, or the service not be started with them; null = it can. */
function problemOf(items: readonly string[], shared: string | null = null): string | null {
  try {
    new JobUsers(items, shared === null ? null : userNamed(shared)).check();
    return null;
  } catch (error) {
    return (error as Error).message.replace(
      /^Companies cannot have the users that are configured for their jobs: /,
      '',
    );
  }
}

describe('The users for jobs of companies', () => {
  const malformed = {
    '': ' is neither a name, nor an id or a range of ids such as 20000-20999.',
    '20000-': '20000- is neither a name, nor an id or a range of ids such as 20000-20999.',
    'a b': 'a b is neither a name, nor an id or a range of ids such as 20000-20999.',
    '-1': '-1 is neither a name, nor an id or a range of ids such as 20000-20999.',
    '0': '0 holds 0, the id of root.',
    '0-20000': '0-20000 holds 0, the id of root.',
    '30000-20000': '30000-20000 ends before it begins.',
    '4294967295': '4294967295 holds ids above 2147483647.',
  };
  for (const [item, sentence] of Object.entries(malformed))
    it(`are neither of ${JSON.stringify(item)}`, () => expect(problemOf([item])).to.equal(sentence));

  it('share no name and no id', () => {
    expect(problemOf(['a', 'a'])).to.equal('a is named twice.');
    expect(problemOf(['30000', '20000-20999', '20999-21000'])).to.equal('20000-20999 and 20999-21000 share ids.');
  });

  it('are those that are named, and the ids of the ranges in their usual spelling', () => {
    const users = new JobUsers(['a', '20000-20999', '30000'], null);
    for (const user of ['a', '20000', '20999', '30000']) expect(users.refusal(user)).to.equal(null);
    for (const user of ['b', '020000', '19999', '21000', '20000-20999', '2e4', '0x4e20', ' 20000', '', '0', 'root'])
      expect(users.refusal(user)).to.equal('jobs of companies may only run as one of a, 20000-20999, 30000');
    expect(new JobUsers([], null).refusal('a')).to.contain('no users are configured');
  });

  it('have one spelling each, so that no two companies have the same', () => {
    const users = new JobUsers(['20000-20999'], null);
    fc.assert(
      fc.property(fc.mixedCase(fc.stringMatching(/^[-+ 0x.e]{0,2}2[0-9_.e]{3,8}$/)), (user) => {
        const isListed = users.refusal(user) === null;
        expect(isListed).to.equal(String(Number.parseInt(user, 10)) === user && user >= '20000' && user <= '20999');
      }),
    );
  });

  it('need a service that runs as root, unless there are none', function () {
    expect(problemOf([])).to.equal(null);
    if (isRoot) return this.skip();
    expect(problemOf([String(freeId)])).to.equal('only root can start processes as another user.');
  });

  describe('under root', () => {
    before(function () {
      if (!isRoot || !nobody || !daemon) this.skip();
    });

    it('are users that exist by name, and ids that nobody has', () => {
      expect(problemOf(['nobody', 'daemon', `${freeId}-${freeId + 999}`])).to.equal(null);
      expect(problemOf(['no-such-user'])).to.equal('there is no user no-such-user.');
      const held = `${nobody?.uid} holds ${nobody?.uid}, the id of the user nobody; users that exist are listed by their names.`;
      expect(problemOf([String(nobody?.uid)])).to.equal(held);
      expect(problemOf(['1-65535'])).to.match(/^1-65535 holds \d+, the id of the user \w+; /);
    });

    it('are neither root nor the user of all other jobs', () => {
      expect(problemOf(['root'])).to.equal('root has the id or the group of root.');
      expect(problemOf(['nobody'], 'nobody')).to.match(
        /^nobody has the id or the group of nobody, as whom jobs of all/,
      );
    });

    it('are warned of where their homes are open to others', () => {
      const home = temporaryFolder('home');
      try {
        chownSync(home, freeId, freeId);
        chmodSync(home, 0o710);
        const sentence = `the home ${home} of acme is open to other users: chmod 700 closes it`;
        expect(warningOfHome({ name: 'acme', home })).to.deep.equal([sentence]);
        chmodSync(home, 0o700);
        for (const closed of [home, '/usr/sbin', '/nonexistent', '/etc/passwd/x'])
          expect(warningOfHome({ name: 'acme', home: closed })).to.deep.equal([]);
      } finally {
        rmSync(home, { recursive: true });
      }
    });

    /** Runs a script for companies with users of their own. */
    const withUsers = async (config: object, use: (native: NativeRun) => Promise<void>) => {
      const native = new NativeRun({ job_users: ['nobody', `${freeId}-${freeId + 9}`], ...config });
      chmodSync(native.folder, 0o755);
      try {
        await use(native);
      } finally {
        await native.close();
      }
    };

    it('are that of the company, in its own group only, with a working directory, a HOME and files that it owns', () =>
      withUsers({}, async (native) => {
        const script = `id -u; id -G; touch made ~/made; stat -c '%u:%g %a' . ~; [ "$HOME" = "$PWD" ] || echo apart`;
        const ownsAll = ({ uid, gid }: { uid: number; gid: number }) =>
          `${uid}\n${gid}\n${uid}:${gid} 700\n${uid}:${gid} 700\napart\n`;
        for (const uid of [freeId, freeId + 1]) {
          const outcome = await native.sh(script, { runAs: String(uid), resultFile: 'made' });
          expect(outcome).to.include({ exitCode: 0, stdout: ownsAll({ uid, gid: uid }) });
          expect(outcome.files.map(({ filename }) => filename)).to.deep.equal(['made']);
        }
        const inHome = { runAs: String(freeId), options: { directory: '~' } };
        expect(await native.sh('[ "$HOME" = "$PWD" ] && echo $USER', inHome)).to.include({ stdout: `${freeId}\n` });
        const named = await native.sh(script, { runAs: 'nobody' });
        expect(named.stdout).to.equal(ownsAll(nobody as { uid: number; gid: number }));
      }));

    it('leave nothing in the HOME of the next attempt', () =>
      withUsers({}, async (native) => {
        const runAs = String(freeId);
        const { stdout: home } = await native.sh('mkdir -p ~/.config/x && echo -n $HOME', { runAs });
        expect((await native.sh('ls -A ~', { runAs })).stdout).to.equal('');
        await eventually('it is removed', () => !existsSync(`${home}/.config`));
      }));

    it('refuse an attempt whose user is not configured, does not exist, or whose id somebody has', () =>
      withUsers({ job_users: ['no-such-user', '20000', String(daemon?.uid)] }, async (native) => {
        const refusals = {
          '20001': 'It was to run as 20001, but jobs of companies may only run as one of no-such-user, 20000, 1.',
          root: 'It was to run as root, but jobs of companies may only run as one of no-such-user, 20000, 1.',
          'no-such-user': 'It was to run as no-such-user, but there is no user no-such-user.',
          '1': 'It was to run as 1, but 1 holds 1, the id of the user daemon; users that exist are listed by their names.',
        };
        for (const [runAs, reason] of Object.entries(refusals))
          expect(await native.sh('id -u', { runAs })).to.include({ exitCode: 126, stdout: '', reason });
      }));

    it('refuse a template that names another user than that of its company, or that of another company', () =>
      withUsers({}, async (native) => {
        const runAs = String(freeId);
        const other = await native.sh('id -u', { runAs, options: { user: 'daemon' } });
        expect(other).to.include({
          exitCode: 126,
          reason: `It was to run as daemon, but jobs of its company run as ${runAs}.`,
        });
        expect(await native.sh('id -un', { runAs: 'nobody', options: { user: 'nobody' } })).to.include({
          stdout: 'nobody\n',
        });
        const foreign = await native.sh('id -u', { options: { user: 'nobody' } });
        expect(foreign).to.include({
          exitCode: 126,
          reason: 'It was to run as nobody, which is for a company of its own.',
        });
      }));

    it('keep a file of another user that a job moved into its working directory out of the artifacts', () =>
      withUsers({}, async (native) => {
        const shared = `${native.folder}/shared`;
        mkdirSync(shared);
        chmodSync(shared, 0o777);
        writeFileSync(`${shared}/secret`, 'of another company', { mode: 0o600 });
        const outcome = await native.sh(`mv ${shared}/secret . && echo moved`, {
          runAs: String(freeId),
          resultFile: 'secret',
        });
        expect(outcome).to.include({ stdout: 'moved\n', exitCode: 0 });
        expect(outcome.files).to.deep.equal([]);
        expect(outcome.stderr).to.contain('secret was not stored: it belongs to another user');
      }));

    for (const sandbox of ['cgroup', 'pid-namespace', 'bubblewrap', 'none'] as const)
      it(`have their jobs killed with all that these started, contained by ${sandbox}`, async function () {
        const native = new NativeRun({ job_users: [String(freeId)], containment: sandbox, grace: 0.1 });
        try {
          await native.executor.prepare().catch(() => this.skip());
          chmodSync(native.folder, 0o755);
          const script = `trap '' TERM; setsid sleep 1000 & echo $$ > pids; echo ready; sleep 1000; sleep 1000`;
          const outcome = await native.shUntilTimeout(script, { runAs: String(freeId), resultFile: 'pids' });
          expect(outcome).to.include({ timedOut: true });
          expect(outcome.files).to.have.length(1);
          expect(processesOf(freeId)).to.deep.equal([]);
        } finally {
          await native.close();
        }
      });

    it('can write to their folders, /tmp, /var/tmp and /dev/shm where the root is read-only', async function () {
      await withUsers({ read_only_root: true }, async (native) => {
        await native.executor.prepare().catch(() => this.skip());
        const made = 'made ~/made /tmp/made /var/tmp/made /dev/shm/made';
        const script = `cd "$HORARIUM_WORKDIR" && touch ${made} && ! touch /var/made 2> /dev/null && ls`;
        expect(await native.sh(script, { runAs: String(freeId) })).to.include({ exitCode: 0, stdout: 'made\n' });
      });
    });
  });
});
