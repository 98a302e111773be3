import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { splitWords } from '@horarium/core/plugin';
import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { sourceRoot } from '../house/source-files.ts';
import { Receiver } from '../support/actions/receiver.ts';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { commandsIn } from '../support/program/documented-commands.ts';

const readme = readFileSync(join(sourceRoot, 'README.md'), 'utf8');
const chapter = readme.split('\n## Be told\n')[1]?.split('\n## ')[0] ?? '';

/** The value of a setting in the chapter. */
function setting(name: string) {
  const [, value = ''] = new RegExp(`${name}='([^']+)'`).exec(chapter) ?? [];
  return JSON.parse(value);
}

describe('The chapter of README on being told', () => {
  it('tells of a failure by e-mail and webhook, and retries a delivery, as it is printed', async () => {
    const mails: string[] = [];
    const smtp = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
      onData(stream, _session, callback) {
        let mail = '';
        stream.on('data', (chunk: Buffer) => {
          mail += chunk.toString();
        });
        stream.on('end', () => {
          mails.push(mail);
          callback();
        });
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    await using receiver = await new Receiver().start();
    const options = setting('HORARIUM_PLUGIN_OPTIONS');
    const { port } = smtp.server.address() as AddressInfo;
    // The mail server of the test is on this machine, and has no certificate.
    Object.assign(options['action-email'], { host: '127.0.0.1', port, security: 'none' });
    await using world = await ServiceWorld.create('sqlite', {
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify(options),
      HORARIUM_ACTIONS: JSON.stringify(setting('HORARIUM_ACTIONS')),
      HORARIUM_OUTBOUND_NETWORKS: '127.0.0.1',
    });
    const template = await world.addTemplate('Nightly', ['-c', 'exit 3'], { interval: 'none' });
    const { service } = await world.startService();
    const commands = commandsIn(readme, 'Be told').map((command) =>
      splitWords(
        command.replace('--code acme', `--code ${world.company}`).replace('https://hooks.example.com', receiver.origin),
      ),
    );
    const [company, disable, ...deliveries] = commands.map(([, ...words]) => words as [string, ...string[]]);
    await world.run(...(company ?? expect.fail()));
    await world.run(...(disable ?? expect.fail()));
    await world.run('runtemplate:run', String(template));
    await eventually('all is told', () => mails.length === 1 && receiver.received.length === 1);
    const mail = await PostalMime.parse(mails[0] as string);
    expect(mail.subject).to.equal('[Horarium] Acme: Nightly has failed');
    expect(mail.text).to.match(/^Why: +exit code 3$/m);
    expect(mail.to?.map(({ address }) => address)).to.deep.equal(['ops@example.com']);
    const link = /^More: (\S+)$/m.exec(mail.text ?? '')?.[1];
    expect(link).to.match(/\/api\/v1\/job\/1\.html$/);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).to.deep.include({ type: 'on_failure' });
    const rows: { action: string; response: string }[] = await eventually('the results are stored', async () => {
      const found = await world.run('delivery:list', '--state', 'delivered');
      return found.length === 3 && found;
    });
    expect(rows.map(({ action }) => action)).to.have.members(['email', 'webhook', 'disable']);
    expect(rows.find(({ action }) => action === 'disable')?.response).to.equal(
      'Nothing is done: 1 of 5 failures in a row.',
    );
    const outputs: unknown[] = [];
    for (const words of deliveries) outputs.push(await world.run(...words));
    expect(outputs).to.have.length(3);
    expect(outputs[0]).to.deep.equal([]);
    expect(outputs[2]).to.deep.include({ id: 1, state: 'pending' });
    await eventually('it is delivered again', async () => (await world.run('delivery:get', '1')).attempts === 2);
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    expect(JSON.stringify(service.log)).not.to.contain('a password');
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
  });
});
