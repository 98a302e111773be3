import { allTables, Credential, type Store, systemClock } from '@horarium/core';
import { NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import { RecordCipher } from '#core/secret/record-cipher';
import { newRow } from '#core/store/table';
import { openStore } from '../../adapters/mikro-orm/open-store.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { digestLines, plantSecrets } from '../support/planted/planted-secrets.ts';
import { SpawnedProgram, spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { createDatabase, dropDatabase } from '../support/store/test-postgres.ts';

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const [older, newer] = [keyOf(7), keyOf(8)];
const withKeys = (...keys: string[]) => ({ HORARIUM_VAULT_KEY: keys.join() });
const credentialCount = 4000;

/** Inserts so many credentials directly into the store that a rotation can be killed while it runs. */
async function addCredentials(store: Store, company_id: number): Promise<void> {
  const vault = new NodeVault(older);
  await store.transaction(async (tables) => {
    const table = tables.of(Credential);
    const rows = Array.from({ length: credentialCount }, (_, at) => {
      const cipher = new RecordCipher(vault, Credential);
      const values = { KEY: cipher.encrypt(['values', 'KEY'], `secret ${at}`) };
      const written = { revision: 1, created_at: 0, updated_at: 0 };
      return { cipher, row: newRow(Credential, { ...written, name: `c${at}`, company_id, values }) };
    });
    const ids = await table.insert(rows.map(({ row }) => row));
    await table.update(
      rows.map(({ cipher, row }, at) => {
        const id = ids[at] as number;
        return { row: { ...row, id }, set: { cipher_key: cipher.cipherKeyFor(id) as string } };
      }),
    );
  });
}

/** Decrypts every value, and counts the credentials that are encrypted with the newest key. */
async function checkCredentials(store: Store) {
  const vault = new NodeVault(`${newer},${older}`);
  const rows = await store.transaction((tables) => tables.of(Credential).find(), { readOnly: true });
  for (const row of rows.filter(({ name }) => /^c\d+$/.test(name))) {
    const { KEY } = new RecordCipher(vault, Credential, row).decryptAll(['values'], row.values) as { KEY: string };
    expect(KEY).to.match(row.revision === 1 ? new RegExp(`^secret ${row.name.slice(1)}$`) : /^changed/);
  }
  const rotated = rows.filter(({ cipher_key, values }) =>
    [cipher_key, ...Object.values(values)].every((text) => vault.fingerprint.startsWith(vault.keyOf(String(text)))),
  );
  return { all: rows.length, rotated: rotated.length };
}

const signIn = `Basic ${Buffer.from('admin:correct horse battery').toString('base64')}`;

/** Defines the tests of rotations on one database. They follow one store through a rotation that is killed and repeated. */
function defineRotationTests(kind: string, makeUrl?: () => Promise<string>): void {
  describe(`vault:rotate on ${kind}`, () => {
    let url: string | undefined;
    let cli: TestCli;
    let store: Store;
    let planted: Awaited<ReturnType<typeof plantSecrets>>;
    let lastEntryId: number;
    const programs: SpawnedProgram[] = [];

    const runJson = async (line: readonly string[], input = '', environment = withKeys(older)) => {
      const ran = await cli.run([...line, '--format', 'json'], { input, environment });
      expect(ran.code, ran.err).to.equal(0);
      return ran.json;
    };
    const programOptions = (...keys: string[]) => ({
      folder: cli.folder,
      environment: { ...cli.environment, ...withKeys(...keys) },
    });
    const rotateInProcess = (...options: string[]) => {
      const program = new SpawnedProgram(['vault:rotate', ...options], programOptions(newer, older));
      programs.push(program);
      return program;
    };
    const startService = async (...keys: string[]) => {
      const started = await spawnService(programOptions(...keys));
      programs.push(started.service);
      return started;
    };
    const stop = (service: SpawnedProgram) => {
      service.process.kill('SIGTERM');
      return service.ended;
    };
    const ask = (service: string, path: string, body?: object) =>
      checkedFetch(`${service}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: signIn, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });

    before(async () => {
      url = await makeUrl?.();
      cli = new TestCli(url);
      expect((await cli.command('migrate', { environment: withKeys(older) })).code).to.equal(0);
      planted = await plantSecrets(
        async (resource, fields) => (await runJson([`${resource}:save`, '--json', '-'], JSON.stringify(fields))).id,
      );
      const database = cli.environment['HORARIUM_DATABASE_URL'] as string;
      store = await openStore({ url: database, tables: allTables, clock: systemClock });
      await addCredentials(store, 1);
      lastEntryId = (await runJson(['auditlog:list', '--limit', '1']))[0].id;
    });

    after(async () => {
      for (const program of programs) program.process.kill('SIGKILL');
      await Promise.all(programs.map((program) => program.ended));
      await store?.close();
      cli?.[Symbol.dispose]();
      if (url !== undefined) await dropDatabase(url);
    });

    it('is refused while a live worker lacks the newest key', async () => {
      const { service } = await startService(older);
      await eventually('the worker is registered', async () => (await runJson(['status'])).workers.length > 0);
      const refused = await cli.run(['vault:rotate'], { environment: withKeys(newer, older) });
      expect(refused.err).to.match(
        /^The newest vault key \(\w{32}\) is not known yet to process \d+ on \S+: restart with/,
      );
      expect(await stop(service)).to.equal(0);
    });

    describe('that is killed midway', () => {
      let running: Awaited<ReturnType<typeof spawnService>>;
      let job: number;
      let killedBy: number | string;

      before(async () => {
        running = await startService(newer, older);
        const overrides = Object.entries(planted.overrides).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
        const run = ['runtemplate:run', String(planted.template), '--at', '2099-01-01T00:00:00Z', ...overrides];
        job = (await runJson(run, '', withKeys(older, newer))).id;
        const rotation = rotateInProcess();
        await eventually('the rotation has begun', async () => {
          const [row] = await store.transaction((tables) => tables.of(Credential).find({ where: [['id', '=', 3]] }), {
            readOnly: true,
          });
          return !row?.cipher_key?.startsWith(`vault:v1:${new NodeVault(older).fingerprint.slice(0, 8)}`);
        });
        rotation.process.kill('SIGKILL');
        killedBy = await rotation.ended;
      });

      it('leaves records under both keys', async () => {
        expect(killedBy).to.equal('SIGKILL');
        const { all, rotated } = await checkCredentials(store);
        expect(rotated).to.be.above(0).and.below(all);
      });

      it('leaves records that need the older key, without which the service does not start', async () => {
        const { code, out, err } = await cli.run(['serve', '--port', '0'], { environment: withKeys(newer) });
        expect([code, out]).to.deep.equal([1, '']);
        expect(err).to.match(/^The vault key with the fingerprint \w{32} is missing, and \d+ records need it \(/);
        expect(err)
          .to.match(/Credential: \d+/)
          .and.to.include('run "horarium vault:rotate" before it is dropped');
      });

      describe('and run again while clients write', () => {
        const etag = async () => (await ask(running.url, '/company/1.json')).headers.get('etag');
        const responses: { readonly status: number; readonly text: string }[] = [];
        let rotation: SpawnedProgram;
        let rotationEnd: number | string;
        let etags: readonly (string | null)[];
        let serviceEnd: number | string;

        before(async () => {
          const etagBefore = await etag();
          rotation = rotateInProcess('--format', 'json');
          let ended = false;
          void rotation.ended.then(() => {
            ended = true;
          });
          for (let id = credentialCount; !ended; id -= 7) {
            const response = await ask(running.url, `/credential/${id}.json`, { values: { KEY: `changed ${id}` } });
            responses.push({ status: response.status, text: await response.text() });
          }
          rotationEnd = await rotation.ended;
          etags = [etagBefore, await etag()];
          serviceEnd = await stop(running.service);
        });

        it('encrypts every record with the newest key and loses no secret', async () => {
          const { all, rotated } = await checkCredentials(store);
          expect(rotated).to.equal(all);
        });

        it('reports the newest key and the number of records that it encrypted again', () => {
          expect(rotationEnd, rotation.err).to.equal(0);
          expect(rotation.err).to.match(/^Credential: \d+ checked, \d+ encrypted again$/m);
          const { key, reencrypted } = JSON.parse(rotation.out);
          expect(key).to.equal(new NodeVault(newer).fingerprint);
          expect(reencrypted).to.be.above(0);
        });

        it('fails no write of a client', () => {
          for (const { status, text } of responses) expect(status, text).to.equal(200);
        });

        it('keeps the entity tag of a record that no client writes', () => {
          expect(etags[1]).to.equal(etags[0]);
        });

        it('adds no entries to the audit log beside those of the writes and the job', async () => {
          const entries = await runJson(['auditlog:list', '--limit', '1000', '--order', '-id'], '', withKeys(newer));
          expect(entries.filter((entry: { id: number }) => entry.id > lastEntryId)).to.have.length(
            responses.length + 1,
          );
        });

        it('leaves the running service able to stop without an error', () => {
          expect(serviceEnd).to.equal(0);
        });

        describe('and followed by a start without the older key', () => {
          // biome-ignore lint/suspicious/noExplicitAny: the JSON of a command may have any shape.
          let ended: any;
          let serviceEnd: number | string;

          before(async () => {
            const { service, url: address } = await startService(newer);
            await ask(address, `/job/${job}.json`, { scheduled_at: 'now' });
            ended = await eventually('the job has ended', async () => {
              const shown = await runJson(['job:get', String(job)], '', withKeys(newer));
              return shown.finished_at && shown;
            });
            serviceEnd = await stop(service);
          });

          it('gives a job every secret', () => {
            const { state, stdout, reason } = ended;
            expect([state, stdout.trim().split('\n')], reason).to.deep.equal(['succeeded', digestLines]);
          });

          it('leaves the audit chain intact', async () => {
            expect((await runJson(['audit:verify'], '', withKeys(newer))).intact).to.equal(true);
          });

          it('leaves the service able to stop without an error', () => {
            expect(serviceEnd).to.equal(0);
          });

          it('makes a start with the older key alone fail', async () => {
            const { err } = await cli.run(['serve', '--port', '0'], { environment: withKeys(older) });
            expect(err).to.match(/^The vault key is not the one that the secrets in this store were encrypted with/);
          });
        });
      });
    });
  });
}

defineRotationTests('SQLite');
defineRotationTests('PostgreSQL', createDatabase);
