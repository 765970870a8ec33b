import { expect } from 'chai';
import { describe, it } from 'mocha';
import { withPlaceholders, withSigns } from '../../../client/diagram/labels.ts';

/** Returns the source for Mermaid, with each placeholder as `·`. */
const drawn = (source: string) => withPlaceholders(source).replace(/[\uE000-\uE07F]/g, '·');

describe('withPlaceholders', () => {
  for (const [source, expected] of [
    ['flowchart TD\nA{Lead time > 5 days?} -->|x>=5| B(Cost >= 20)', 'A{Lead time · 5 days?} -->|x·=5| B(Cost ·= 20)'],
    ['flowchart TD\nA[a<b] ==> B["Use <name> here"]', 'A[a·b] ==> B["Use ·name· here"]'],
    ['flowchart TD\nA[a -> b<br>c] -. d < 5 .-> B>flag]', 'A[a -· b<br>c] -. d · 5 .-> B>flag]'],
    ['sequenceDiagram\nA<<->>B: x < 5, y<z, <name>', 'A<<->>B: x · 5, y·z, ·name·'],
    ['classDiagram\nAnimal <|-- Duck : eats >= 1', 'Animal <|-- Duck : eats ·= 1'],
    ['classDiagram\nA --|> B\nC ..> D\n<<interface>> A', 'A --|> B\nC ..> D\n<<interface>> A'],
    ['stateDiagram-v2\n[*] --> A : x > 5', '[*] --> A : x · 5'],
    ['requirementDiagram\na <- copies - b', 'a <- copies - b'],
    ['block-beta\nA<["a < b"]>(right)', 'A<["a · b"]>(right)'],
    ['pie\n"#quot;a#quot; #9829; #35;1 #lt; #euro;" : 3', '"·a· ♥ ·1 · #euro;" : 3'],
    ['flowchart TD\nstyle A fill:#123;', 'style A fill:#123;'],
    ['sankey-beta\na < b,c,5', 'a &lt; b,c,5'],
  ] as const) {
    it(`replaces special characters in labels, but not in arrows and styles: ${JSON.stringify(source)}`, () => {
      expect(drawn(source).split('\n').slice(1).join('\n')).to.equal(expected);
    });
  }

  it('replaces special characters and entities with placeholders that withSigns turns into characters', () => {
    expect(withSigns(withPlaceholders('pie\n"a < b > #quot;c#quot; &lt;" : 3'))).to.equal('pie\n"a < b > "c" <" : 3');
  });
});
