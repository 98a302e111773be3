import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { preparePlugin } from '@horarium/core';
import { actionContract, noticeOf } from '@horarium/core/contracts';
import { nodeClock } from '@horarium/core/node';
import { expect } from 'chai';
import plugin from '../../../plugins/action-command/plugin.ts';
import { actionOf, deliver } from '../../support/actions/deliver.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('The action command', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('action-command');
    script('keep', 'cat >> "$1"; echo kept');
    script('fail', 'echo "no such mailbox" >&2; exit 3');
    script('tell', 'cat; env | sort; echo "$@"');
    script('hang', 'echo $$ > "$1"; sleep 60 & wait');
  });
  after(() => rmSync(folder, { recursive: true }));

  const path = (name: string) => join(folder, name);
  const script = (name: string, body: string) => writeFileSync(path(name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const action = actionOf(plugin);
  const isAlive = (file: string) => {
    try {
      const group = Number(readFileSync(file, 'utf8'));
      // The shell makes the file before it writes into it, and 0 is the group of the tests themselves.
      if (group === 0) return 0;
      process.kill(-group, 0);
      return 1;
    } catch {
      return 0;
    }
  };

  describe('keeps the contract', () => {
    const blank = { arguments: [], subject: null, text: null };
    const make = () => {
      rmSync(path('pid'), { force: true });
      writeFileSync(path('kept'), '');
      return {
        action,
        reachable: { ...blank, program: path('keep'), arguments: [path('kept')] },
        unreachable: [
          { ...blank, program: path('fail') },
          { ...blank, program: path('missing') },
        ],
        unresponsive: [{ ...blank, program: path('hang'), arguments: [path('pid')] }],
        secrets: [],
        arrived: () => readFileSync(path('kept'), 'utf8').length,
        connections: () => isAlive(path('pid')),
      };
    };
    defineContractTests(actionContract(make, nodeClock));
  });

  it('gives the message as input, facts in the environment, and nothing of the service’s own', async () => {
    process.env['HORARIUM_TEST_PLANTED'] = 'planted';
    try {
      const options = {
        program: path('tell'),
        arguments: ['{template_code}', '$HOME;{unknown}'],
        text: 'T: {template}\n',
      };
      const { status, response = '' } = await deliver(action, options);
      expect(status).to.equal(0);
      expect(response).to.match(/^T: Nightly backup of the shop\n/);
      expect(response).not.to.contain('planted');
      const short = { ...options, text: '' };
      writeFileSync(path('out'), '');
      script('environment', `env > ${path('out')}; echo "$@" >> ${path('out')}`);
      await deliver(action, { ...short, program: path('environment') });
      const told = readFileSync(path('out'), 'utf8');
      expect(told).to.contain('HORARIUM_EVENT=on_failure\n').and.to.contain('HORARIUM_EXIT_CODE=3\n');
      expect(told).to.contain('HORARIUM_DELIVERY_ID=6f1b2f0e').and.to.contain('nightly-backup $HOME;{unknown}\n');
      expect(told).not.to.contain('planted');
    } finally {
      delete process.env['HORARIUM_TEST_PLANTED'];
    }
  });

  it('gives a program no option that the values of a notice begin like, but those that an administrator wrote', async () => {
    const notice = noticeOf('on_failure');
    const named = (name: string) => ({
      notice: { ...notice, link: null, runtemplate: { ...notice.runtemplate, name } },
    });
    const argumentsOf = async (given: readonly string[], name: string) => {
      script('arguments', `printf '<%s>' "$@"`);
      const { response } = await deliver(action, { program: path('arguments'), arguments: given }, named(name));
      return response;
    };
    const given = ['{template}', '--title={template}', '-v', '{link}{template}', 'of {template}'];
    expect(await argumentsOf(given, '--help')).to.equal('< --help><--title=--help><-v>< --help><of --help>');
    expect(await argumentsOf(given, 'Backup')).to.equal('<Backup><--title=Backup><-v><Backup><of Backup>');
  });

  it('shows exit code and output of a program that fails', async () => {
    const error = await rejectionOf(deliver(action, { program: path('fail') }));
    expect(error).to.deep.include({ status: 3, response: 'no such mailbox\n' });
    expect(error.message).to.equal(`The program ${path('fail')} ended with the exit code 3.`);
  });

  it('runs only programs in the folders that the operator names, whatever links say', async () => {
    mkdirSync(path('allowed'));
    symlinkSync('/bin/true', path('allowed/link'));
    writeFileSync(path('allowed/own'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const strict = actionOf(plugin, { executables: [path('allowed')] });
    expect(await deliver(strict, { program: path('allowed/own') })).to.deep.include({ status: 0 });
    for (const program of ['/bin/true', path('allowed/link'), path('allowed/../keep')]) {
      expect(strict.refuse?.({ program })).to.contain('is not inside');
      const error = await rejectionOf(deliver(strict, { program }));
      expect(error.message).to.contain('is not inside');
    }
  });

  (process.getuid?.() === 0 ? it : it.skip)('runs programs as the user that jobs run as', async () => {
    script('whoami', 'id -un');
    const asNobody = actionOf(plugin, { run_as: 'nobody' });
    const { response } = await deliver(asNobody, { program: '/usr/bin/id', arguments: ['-un'] });
    expect(response).to.equal('nobody\n');
    const setup = preparePlugin(plugin, { run_as: 'nosuchuser' }, nodeClock).setup as Parameters<
      NonNullable<typeof plugin.start>
    >[0];
    expect(() => plugin.start?.(setup)).to.throw('there is no such user');
  });
});
