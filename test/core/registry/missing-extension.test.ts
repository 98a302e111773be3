import { expect } from 'chai';
import { missingExtension } from '#core/registry/missing-extension';

describe('A missing extension', () => {
  const executors = ['native', 'docker', 'podman'];

  for (const [name, known, sentence] of [
    ['docer', executors, 'no loaded plugin provides the executor docer. Did you mean docker?'],
    ['kubernetes', executors, 'no loaded plugin provides the executor kubernetes; there are native, docker, podman'],
    ['native', [], 'no loaded plugin provides the executor native'],
  ] as const)
    it(`named ${name} is answered with ${known.length > 0 ? 'what there is' : 'its name alone'}`, () => {
      expect(missingExtension('executor', name, known)).to.equal(sentence);
    });
});
