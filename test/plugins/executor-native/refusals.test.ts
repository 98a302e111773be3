import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import type { NativeOptions } from '../../../plugins/executor-native/settings.ts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { NativeRun } from './native-run.ts';

describe('A program that the native executor refuses', () => {
  let native: NativeRun;
  before(() => {
    native = new NativeRun();
  });
  after(() => native.close());

  const cases: [string, Parameters<NativeRun['run']>[0], number, RegExp][] = [
    ['a program that is not there', { executable: 'no-such-program' }, 127, /no-such-program was not found/],
    [
      'a command line',
      { executable: 'ls -la' },
      127,
      /ls -la was not found\. Put its arguments into the field arguments\./,
    ],
    ['a path that is not there', { executable: '/no/such' }, 127, /\/no\/such was not found/],
    ['a program without a name', { executable: '' }, 127, /no name/],
    ['a relative path', { executable: './tool' }, 126, /\.\/tool must be a name or an absolute path/],
    ['a file that is not executable', { executable: '/etc/passwd' }, 126, /\/etc\/passwd is not executable/],
    ['a folder', { executable: '/etc' }, 126, /\/etc is not a file/],
    ['a NUL in the name', { executable: 'tr\0ue' }, 126, /name of the executable contains a NUL/],
    ['a NUL in an argument', { arguments: ['fine', 'a\0b'] }, 126, /Argument 2 contains a NUL/],
    ['a NUL in a value', { environment: { KEY: 'a\0b' } }, 126, /KEY contains a NUL/],
    ['a NUL in a key', { environment: { 'K\0EY': 'a' } }, 126, /cannot be the name/],
    ['a key with =', { environment: { 'A=B': 'a' } }, 126, /"A=B" cannot be the name/],
    ['a key without a name', { environment: { '': 'a' } }, 126, /"" cannot be the name/],
    ['one argument that is too long', { arguments: ['a'.repeat(200_000)] }, 126, /larger than the system allows/],
    ['arguments that are too many', { arguments: Array(100_000).fill('a'.repeat(60)) }, 126, /larger than the system/],
    [
      'one whose directory is not there',
      { options: { directory: '/no/such' } },
      126,
      /The directory \/no\/such, in which it was to run, does not exist/,
    ],
    ['one whose directory is a file', { options: { directory: '/etc/passwd' } }, 126, /passwd, .* does not exist/],
    ['an unknown user', { options: { user: 'no-such-user' } }, 126, /no-such-user, but there is no such user/],
  ];
  for (const [title, attempt, exitCode, reason] of cases) {
    it(`is ${title}`, async () => {
      const outcome = await native.run(attempt);
      expect(outcome.reason).to.match(reason);
      expect(outcome).to.include({ exitCode, signal: null, timedOut: false });
    });
  }

  it('is a script without its interpreter', async () => {
    const script = `${native.folder}/script`;
    writeFileSync(script, '#!/no/such/interpreter\n');
    chmodSync(script, 0o755);
    const outcome = await native.run({ executable: script });
    expect(outcome.exitCode).to.equal(127);
    expect(outcome.reason).to.contain('interpreter').and.contain(script);
  });

  it('does not affect the next attempt', async () => {
    expect(await native.run({ executable: 'true' })).to.include({ exitCode: 0 });
  });
});

describe('Folders of executables', () => {
  const folder = mkdtempSync(`${tmpdir()}/horarium-test-`);
  const allowed = `${folder}/allowed`;
  const native = new NativeRun({ executables: [allowed], path: `${allowed}:/usr/bin:/bin` });
  before(() => {
    for (const each of [allowed, `${allowed}-not`]) {
      mkdirSync(each);
      writeFileSync(`${each}/tool`, '#!/bin/sh\necho "$0"\n', { mode: 0o755 });
    }
    symlinkSync(realpathSync('/bin/true'), `${allowed}/escape`);
    symlinkSync(`${allowed}/tool`, `${allowed}/alias`);
  });
  after(async () => {
    await native.close();
    rmSync(folder, { recursive: true });
  });

  it('allow programs in them, by path, by name and through links inside', async () => {
    expect(await native.run({ executable: `${allowed}/tool` })).to.include({ exitCode: 0 });
    expect(await native.run({ executable: 'tool' })).to.include({ exitCode: 0 });
    expect(await native.run({ executable: 'alias' })).to.include({ exitCode: 0 });
  });

  it('refuse others, links that lead out, and folders whose names merely begin alike', async () => {
    for (const executable of [
      '/bin/true',
      'true',
      'escape',
      `${allowed}/escape`,
      `${allowed}-not/tool`,
      `${allowed}/../allowed-not/tool`,
    ]) {
      const outcome = await native.run({ executable });
      expect(outcome.exitCode, executable).to.equal(126);
      expect(outcome.reason).to.contain('not in a folder');
    }
  });
});

describe('A configuration of native jobs that cannot work', () => {
  const cases: [Partial<NativeOptions>, RegExp][] = [[{ executables: ['bin'] }, /bin must be an absolute path/]];
  for (const [config, message] of cases) {
    it(`is refused at once: ${JSON.stringify(config)}`, () => {
      expect(() => nativeExecutor(config)).to.throw(HorariumError, message);
    });
  }

  it('refuses the start of the service, and every attempt: a user that this machine does not have', async () => {
    const native = new NativeRun({ run_as: 'no-such-user' });
    const reason = 'Jobs cannot run as no-such-user: there is no such user.';
    expect(() => native.executor.checkUsers()).to.throw(HorariumError, reason);
    expect(await native.run({ executable: 'true' })).to.include({ exitCode: 126, reason });
    await native.close();
  });

  it('fails every attempt where the folder cannot be created', async () => {
    const native = new NativeRun({ folder: '/etc/passwd/jobs' });
    const outcome = await native.run({ executable: 'true' });
    expect(outcome.exitCode).to.equal(126);
    expect(outcome.reason).to.contain('/etc/passwd/jobs');
    await native.close();
  });
});
