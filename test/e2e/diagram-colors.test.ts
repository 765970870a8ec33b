import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { openDiagramFrame } from './support/diagrams.ts';

const kinds = {
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

describe('The text of a diagram', () => {
  it('is readable on fills that its source sets, on a light and on a dark page, and keeps a pair of colors of the source', async () => {
    const draw = await openDiagramFrame();
    const unreadable: Record<string, string[]> = {};
    for (const theme of ['light', 'dark']) {
      for (const [kind, source] of Object.entries(kinds)) {
        const labels = await unreadableLabels((await draw(source, theme)).locator('> svg'));
        if (labels.length > 0) unreadable[`${kind}, ${theme}`] = labels;
      }
    }
    expect(unreadable).to.deep.equal({});

    const pair = await draw('flowchart LR\n  A[Pale] --> B\n  style A fill:#ffffff,color:#cccccc');
    const label = pair.getByText('Pale', { exact: true });
    expect(await label.evaluate((part) => getComputedStyle(part).fill)).to.equal('rgb(204, 204, 204)');
  });
});
