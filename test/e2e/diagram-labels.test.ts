import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { openDiagramFrame } from './support/diagrams.ts';

const written = 'Use <name>, R&D #quot;q#quot; #9829; #35;1';
const shown = 'Use <name>, R&D "q" ♥ #1';

const kinds: Readonly<Record<string, [source: string, ...labels: string[]]>> = {
  flowchart: [
    `flowchart TD
      A{Lead time > 5 days?} -->|x >= 5| B(Cost >= 20)
      B --> C[a<b]
      C -- "d <= e" --> D["${written}"]
      D --> E>flag < 3] <--> F[x => y]`,
    ...['Lead time > 5 days?', 'x >= 5', 'Cost >= 20', 'a<b', 'd <= e', shown, 'flag < 3', 'x => y'],
  ],
  sequence: [
    `sequenceDiagram
      participant A as Ann <a>
      A->>B: ${written}
      Note over A,B: a<b
      alt x > 1
        A<<->>B: y <= 3
      end`,
    ...['Ann <a>', shown, 'a<b', 'x > 1', 'y <= 3'],
  ],
  class: [
    `classDiagram
      class Animal {
        <<interface>>
        +List~int~ ages
      }
      Animal <|-- Duck : x >= 1
      class A["${written}"]
      note "a<b"`,
    ...['«interface»', 'List<int>', 'x >= 1', shown, 'a<b'],
  ],
  state: [
    `stateDiagram-v2
      [*] --> S1
      S1 --> S2 : x > 5, y <= 3
      S2 : ${written}
      state choice <<choice>>
      S2 --> choice`,
    ...['x > 5, y <= 3', shown],
  ],
  'entity relationship': [
    `erDiagram
      A ||--o{ B : "${written}"
      A {
        string name "x < 5"
      }`,
    ...[shown, 'x < 5'],
  ],
  pie: [`pie title Cost > 5\n  "a < b" : 3\n  "${written}" : 5`, 'Cost > 5', 'a < b', shown],
  gantt: [
    `gantt
      title Plan > 5
      dateFormat YYYY-MM-DD
      section a < b
      ${written.replace('#35;', '#')} : a1, 2024-01-01, 30d
      x >= 5 : after a1, 20d`,
    ...['Plan > 5', 'a < b', 'Use <name>, R&D "q" ♥', 'x >= 5'],
  ],
  journey: [`journey\n  title ${written}\n  section a < b\n    x >= 5: 5: Ann`, shown, 'a < b', 'x >= 5'],
  mindmap: [`mindmap\n  root((x > 5))\n    a < b\n    [${written}]`, 'x > 5', 'a < b', shown],
  timeline: [`timeline\n  title a < b\n  2021 : ${written}\n  2022 : x >= 5`, 'a < b', shown, 'x >= 5'],
  quadrant: [
    `quadrantChart
      title a < b
      x-axis Low --> High
      quadrant-1 "${written}"
      P > 1: [0.3, 0.6]`,
    ...['a < b', 'Low', 'High', shown, 'P > 1'],
  ],
  xychart: [
    `xychart-beta
      title "${written}"
      x-axis ["a < b", "c"]
      y-axis "y >= 1" 0 --> 10
      bar [5, 6]`,
    ...[shown, 'a < b', 'y >= 1'],
  ],
  packet: [`packet-beta\n  0-15: "a < b"\n  16-63: "${written}"`, 'a < b', shown],
  git: [
    `gitGraph
      commit id: "a < b"
      branch dev
      commit id: "c" tag: "${written}"`,
    ...['a < b', shown],
  ],
  sankey: ['sankey-beta\n\nA < 5,B > 5,10\nB > 5,Use <name>,5', 'A < 5', 'B > 5', 'Use <name>'],
  block: [`block-beta\n  columns 2\n  A["a < b"] B["${written}"]\n  A --> B`, 'a < b', shown],
  requirement: [
    `requirementDiagram
      requirement r {
        text: "${written}"
      }
      element e {
        type: simulation
      }
      e - satisfies -> r`,
    shown,
  ],
  C4: [
    `C4Context
      Person(a, "a < b", "${written}")
      System(s, "S")
      Rel(a, s, "x >= 5")`,
    ...['a < b', shown, 'x >= 5'],
  ],
  kanban: [`kanban\n  Open > 5\n    t1[a < b]\n    t2[${written}]`, 'Open > 5', 'a < b', shown],
  architecture: [
    `architecture-beta
      service a(database)[Data]
      service b(server)[Server]
      a:L -- R:b`,
    ...['Data', 'Server'],
  ],
  radar: [`radar-beta\n  axis a["a < b"], b["B"], c["C"]\n  curve x["${written}"]{1, 2, 3}`, 'a < b', shown],
  treemap: [`treemap-beta\n"a < b"\n    "${written}": 10`, 'a < b', shown],
};

const sourcesWithColors = {
  flowchart: `flowchart LR
    A[Light] --> B[Styled]:::light --> C[Dark]
    classDef light fill:#fff3cd
    style A fill:#d4edda
    style C fill:#1b4332`,
  subgraphs: `flowchart TD
    subgraph one [Light]
      A
    end
    subgraph two [Dark]
      B
    end
    style one fill:#fef3c7
    style two fill:#1e3a5f`,
  sequence: `sequenceDiagram
    box LightYellow Light box
    participant A
    participant B
    end
    rect rgb(191, 223, 255)
    A->>B: Light
    end
    rect rgb(20, 30, 60)
    A->>B: Dark
    end`,
  state: `stateDiagram-v2
    classDef light fill:#ffdddd
    Light --> Dark
    class Light light
    style Dark fill:#222244`,
  class: `classDiagram
    class Light {
      +int age
    }
    style Light fill:#f9f
    class Dark
    style Dark fill:#333333`,
  'entity relationship': `erDiagram
    Light ||--o{ Dark : has
    Light {
      string name
    }
    style Light fill:#ffe4b5
    style Dark fill:#222222`,
  block: `block
    columns 2
    A["Light"] B["Dark"]
    style A fill:#ffe4b5
    style B fill:#222222`,
  requirement: `requirementDiagram
    requirement light {
      id: 1
      text: Fast
    }
    element dark {
      type: simulation
    }
    dark - satisfies -> light
    style light fill:#ffe4b5
    style dark fill:#222222`,
  treemap: `treemap-beta
    "All"
        "Light": 10:::light
        "Dark": 9:::dark
    classDef light fill:#fff3cd
    classDef dark fill:#222222`,
  'colors of text only': `flowchart LR
    A[Dark text] --> B[Light text]
    style A color:#111111
    style B color:#eeeeee`,
};

/** Returns the labels whose contrast to the topmost shape around their middle is below 4.5, with that contrast. */
function unreadableLabels(drawing: Locator): Promise<string[]> {
  return drawing.evaluate((svg) => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const luminanceOf = (...colors: string[]) => {
      if (canvas === null) return 0;
      for (const color of colors) {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [red = 0, green = 0, blue = 0] = Array.from(canvas.getImageData(0, 0, 1, 1).data, (part) =>
        part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const surface = getComputedStyle(document.body).backgroundColor;
    const texts = Array.from(svg.querySelectorAll('text')).filter((text) => text.textContent?.trim());
    if (texts.length < 2) throw new Error('The diagram has no labels.');
    return texts.flatMap((text) => {
      const box = text.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const fills = Array.from(svg.querySelectorAll<SVGGeometryElement>('rect, path, polygon')).filter((shape) => {
        const { left, right, top, bottom } = shape.getBoundingClientRect();
        const isBelow = shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
        return isBelow && left < x && x < right && top < y && y < bottom && getComputedStyle(shape).fill !== 'none';
      });
      const isHalfTransparent = fills.some((shape) => getComputedStyle(shape).fillOpacity !== '1');
      if (isHalfTransparent) return [];
      const part = text.querySelector('tspan:not(:has(tspan))') ?? text;
      const paints = [surface, ...fills.map((shape) => getComputedStyle(shape).fill)];
      const [below, above] = [luminanceOf(...paints), luminanceOf(...paints, getComputedStyle(part).fill)];
      const contrast = (Math.max(below, above) + 0.05) / (Math.min(below, above) + 0.05);
      return contrast < 4.5 ? [`${text.textContent} ${contrast.toFixed(2)}`] : [];
    });
  });
}

describe('the labels of a diagram', () => {
  it('are shown as they are written, without links, and are readable on the fills of their source', async () => {
    const draw = await openDiagramFrame();
    const missing: Record<string, string[]> = {};
    for (const [kind, [source, ...labels]] of Object.entries(kinds)) {
      const texts = (await draw(source)).locator('> svg :is(text, foreignObject)');
      // Lines of a wrapped label have no space between them.
      const drawn = (await texts.allTextContents()).join('\n').replace(/\s/g, '');
      const notDrawn = labels.filter((label) => !drawn.includes(label.replace(/\s/g, '')));
      if (notDrawn.length > 0) missing[kind] = notDrawn;
    }
    expect(missing).to.deep.equal({});

    // A link would replace the diagram on a click.
    const diagram = await draw(
      'flowchart LR\n  A[Buy] --> B[Sell]\n  click A "https://a.example" "tip"\n  click B href "https://b.example"',
    );
    for (const label of ['Buy', 'Sell']) await diagram.getByText(label, { exact: true }).dispatchEvent('click');
    await diagram.getByText('Buy', { exact: true }).waitFor();
    expect(await diagram.locator('a[*|href]').count()).to.equal(0);

    const unreadable: Record<string, string[]> = {};
    for (const theme of ['light', 'dark']) {
      for (const [kind, source] of Object.entries(sourcesWithColors)) {
        const labels = await unreadableLabels((await draw(source, theme)).locator('> svg'));
        if (labels.length > 0) unreadable[`${kind}, ${theme}`] = labels;
      }
    }
    expect(unreadable).to.deep.equal({});
    const pair = await draw('flowchart LR\n  A[Pale] --> B\n  style A fill:#ffffff,color:#cccccc');
    const label = pair.getByText('Pale', { exact: true });
    expect(await label.evaluate((part) => getComputedStyle(part).fill), 'a pair of colors of the source').to.equal(
      'rgb(204, 204, 204)',
    );
  });
});
