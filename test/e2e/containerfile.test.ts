import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { sourceRoot } from '../house/source-files.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { installedPackages, installTimeout, openPackedRegistry } from '../support/packages/installed-packages.ts';
import { podman, TestPodman } from '../support/podman/test-podman.ts';
import { SpawnedProgram } from '../support/program/spawned-program.ts';

const [base, image] = ['localhost/horarium-base:1', 'localhost/horarium:1'];

describe('The image of the Containerfile', function () {
  this.timeout(installTimeout);
  let machine: TestPodman | undefined;
  const call = (...args: string[]) => (machine as TestPodman).call(...args);

  before(async function () {
    if (!podman) return this.skip();
    const { tarballs } = await installedPackages();
    machine = new TestPodman();
    const registry = await openPackedRegistry(tarballs);
    try {
      const files = await machine.makeFiles(['sh', 'env', 'rm', 'mkdir', 'chown', 'id', 'ls']);
      addNode(files, registry.url);
      if (!machine.importImage(base, files)) return this.skip();
      // What `npm run bundle` leaves of a checkout.
      const context = join(machine.folder, 'context');
      mkdirSync(join(context, 'var/packages'), { recursive: true });
      for (const name of ['Containerfile', '.containerignore'])
        copyFileSync(join(sourceRoot, name), join(context, name));
      for (const [name, tarball] of Object.entries(tarballs))
        copyFileSync(tarball, join(context, 'var/packages', `${name}.tgz`));
      const options = ['--layers=false', '--pull=never', '--network=host', '--isolation=chroot'];
      const build = new SpawnedProgram([...options, `--build-arg=BASE=${base}`, `--tag=${image}`, context], machine, {
        node: podman,
        program: 'build',
      });
      expect(await build.ended, build.err).to.equal(0);
    } finally {
      await registry.close();
    }
  });
  after(() => {
    machine?.call('rm', '--all', '--force', '--time=0');
    machine?.[Symbol.dispose]();
  });

  /** Starts the service on a volume. */
  const start = async (name: string) => {
    const options = ['--name', name, '--network=host', '--env=HORARIUM_PORT=0', '--volume=store:/var/lib/horarium'];
    const service = new SpawnedProgram([...options, image], machine as TestPodman, {
      node: podman as string,
      program: 'run',
    });
    const [, url] = await service.waitForOutput(/^listening on (\S+)$/m);
    return { service, url };
  };

  it('runs a command in place of the service', () => {
    expect(call('run', '--rm', image, '--version')).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it('serves as a user without rights, and keeps its store and its key in the volume from one container to the next', async () => {
    const first = await start('first');
    expect((await checkedFetch(`${first.url}/ping.json`)).status).to.equal(200);
    expect(call('exec', 'first', 'id', '-u')).to.equal('1000\n');
    expect(call('exec', 'first', 'horarium', 'status')).to.match(/^queue\.due +0$/m);
    call('exec', 'first', 'horarium', 'company:save', '--code', 'acme', '--name', 'Acme');
    call('stop', '--time=60', 'first');
    expect(await first.service.ended).to.equal(0);
    expect(first.service.out).to.match(/The first user is admin, with the password/);

    const second = await start('second');
    expect(call('exec', 'second', 'horarium', 'company:list')).to.match(/\bacme\b/);
    expect(call('exec', 'second', 'ls', 'var').split('\n')).to.include.members(['horarium.sqlite', 'vault.key']);
    call('stop', '--time=60', 'second');
    expect(await second.service.ended).to.equal(0);
    expect(`${second.service.out}${second.service.err}`).not.to.match(/password|creating the tables/);
  });
});

/** Adds the Node of these tests and its npm, which installs from a registry, to the files of an image. */
function addNode(root: string, registry: string): void {
  const npm = execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }).trim();
  for (const folder of ['etc', 'root', 'tmp', 'usr/bin', 'usr/etc', 'usr/lib/node_modules'])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  writeFileSync(join(root, 'usr/etc/npmrc'), `registry=${registry}\n`);
  symlinkSync('/bin/env', join(root, 'usr/bin/env'));
  copyFileSync(process.execPath, join(root, 'usr/bin/node'));
  cpSync(dirname(dirname(npm)), join(root, 'usr/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));
  const native = globSync(join(sourceRoot, 'node_modules/@node-rs/argon2-linux-*-gnu/*.node'));
  const needed = execFileSync('ldd', [process.execPath, ...native], { encoding: 'utf8' });
  for (const [library] of needed.matchAll(/(?<=\s)\/\S+(?= \(0x)/g)) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}
