import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type AgentCredential,
  decodeCredential,
  encodeCredential,
} from '../../../../../plugins/fleet-nats/wire/keys/credential.ts';
import { PrivateKeys } from '../../../../../plugins/fleet-nats/wire/keys/keys.ts';

describe('The credential of an agent', () => {
  const keys = PrivateKeys.generate();
  const hosts = PrivateKeys.generate().publicKeys;
  const credential: AgentCredential = {
    agent: 'brno-1',
    pools: ['gpu', 'default'],
    servers: ['tls://nats.example.com:4222'],
    prefix: 'horarium',
    keys,
    hosts,
    jwt: null,
  };
  const text = encodeCredential(credential);

  const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/);
  const server = fc.stringMatching(/^nats:\/\/[a-z]{1,20}(:[1-9]\d{3})?$/);

  it('is read as it was written', () => {
    const others = fc.record({
      agent: name,
      pools: fc.array(name, { minLength: 1, maxLength: 5 }),
      servers: fc.array(server, { minLength: 1, maxLength: 3 }),
      prefix: fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/),
      jwt: fc.option(fc.stringMatching(/^[\w-]{1,500}\.[\w-]{1,500}$/)),
    });
    fc.assert(
      fc.property(others, (given) => {
        const read = decodeCredential(encodeCredential({ ...given, keys, hosts }));
        expect({ ...read, keys: read.keys.seeds(), hosts: read.hosts.texts }).to.deep.equal({
          ...given,
          keys: keys.seeds(),
          hosts: hosts.texts,
        });
      }),
      { numRuns: 10 },
    );
  });

  it('is one line, which may be broken and surrounded by spaces', () => {
    expect(text).to.match(/^hora_1_[\w-]+$/);
    const broken = `  ${text.replaceAll(/.{60}/g, '$&\r\n ')}\n`;
    expect(decodeCredential(broken).agent).to.equal('brno-1');
  });

  it('is refused with any letter changed, without showing it', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'aZ0_-'), (at, letter) => {
        fc.pre(text[at] !== letter);
        const changed = `${text.slice(0, at)}${letter}${text.slice(at + 1)}`;
        expect(() => decodeCredential(changed)).to.throw(/^The credential (?!.*[\w-]{40})/);
      }),
    );
  });

  it('is refused in a sentence whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((end) => `hora_1_${end}`),
        ),
        (wrong) => {
          expect(() => decodeCredential(wrong)).to.throw(/^The credential .*\.$/s);
        },
      ),
    );
  });

  const sealed = (content: unknown) => {
    const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url');
    const sum = createHash('sha256').update('hora_1_').update(body).digest('base64url').slice(0, 16);
    return `hora_1_${body}${sum}`;
  };
  const cutOff = 'The credential is cut off or changed: copy the whole text that agent:enroll printed.';
  const content = {
    agent: 'brno-1',
    pools: ['gpu'],
    servers: ['nats://localhost'],
    prefix: 'horarium',
    seeds: keys.seeds(),
    hosts: hosts.texts,
    jwt: null,
  };
  const wrongContent = (reason: string) => `The content of the credential is wrong: ${reason}.`;

  for (const [what, wrong, sentence] of [
    ['an empty text', ' \n', 'The credential is empty.'],
    ['another text', 'hor_abcdef', 'The credential is not that of an agent: it must begin with hora_1_.'],
    [
      'another format',
      text.replace('hora_1_', 'hora_2_'),
      'The credential has the format 2, which this version of Horarium does not know.',
    ],
    ['a text that is cut off', text.slice(0, -1), cutOff],
    ['the beginning of a text alone', 'hora_1_', cutOff],
    ['a very long text', 'a'.repeat(65_537), 'The credential has more than 65536 characters.'],
    ['content that is not JSON', sealed('{'), wrongContent('it is no JSON object')],
    ['content that is no object', sealed([]), wrongContent('it is no JSON object')],
    ['no agent', sealed({ ...content, agent: undefined }), wrongContent('agent is required')],
    ['an agent that is none', sealed({ ...content, agent: 'a.*' }), wrongContent('agent is no name of an agent')],
    ['no pools', sealed({ ...content, pools: [] }), wrongContent('pools must name at least one')],
    ['a pool that is none', sealed({ ...content, pools: ['>'] }), wrongContent('pools[0] is no name of a pool')],
    [
      'a server that is none',
      sealed({ ...content, servers: ['http://a'] }),
      wrongContent('servers[0] is no URL of a NATS server: nats://NAME:PORT or tls://NAME:PORT'),
    ],
    [
      'a server with a password',
      sealed({ ...content, servers: ['nats://a:b@c'] }),
      wrongContent('servers[0] is no URL of a NATS server: nats://NAME:PORT or tls://NAME:PORT'),
    ],
    ['a prefix that is none', sealed({ ...content, prefix: 'a.b' }), wrongContent('prefix is no prefix of subjects')],
    [
      'a seed that is none',
      sealed({ ...content, seeds: { ...content.seeds, signing: 'SUA' } }),
      'A seed is wrong: it must be an NKey of 58 characters that begins with SU.',
    ],
    [
      'a key of the hosts that is none',
      sealed({ ...content, hosts: { ...content.hosts, sealing: 'X' } }),
      'A public key is wrong: it must be an NKey of 56 characters that begins with X.',
    ],
    [
      'servers with and without TLS',
      sealed({ ...content, servers: ['nats://a', 'tls://b'] }),
      'The URLs of the NATS servers must all begin with tls://, or all with nats://.',
    ],
    [
      'an address that would have a certificate',
      sealed({ ...content, servers: ['tls://127.0.0.1:4222'] }),
      'tls://127.0.0.1:4222 must have the name that the certificate of the server has, not an address.',
    ],
    [
      'an address of IPv6 that would have one',
      sealed({ ...content, servers: ['tls://[::1]:4222'] }),
      'tls://[::1]:4222 must have the name that the certificate of the server has, not an address.',
    ],
  ] as const)
    it(`is refused with ${what}`, () => {
      expect(() => decodeCredential(wrong)).to.throw(sentence);
    });
});
