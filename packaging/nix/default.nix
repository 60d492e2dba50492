# bankfull for Nix, without CUDA: nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "bankfull";
  version = "0.1.0";
  # Without build trees and results, which would be copied to the store.
  src = pkgs.lib.cleanSourceWith {
    src = pkgs.lib.cleanSource ../..;
    filter = path: type: !(dirOf path == toString ../.. && (pkgs.lib.hasPrefix "build" (baseNameOf path) || baseNameOf path == "out"));
  };

  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config ];
  buildInputs = with pkgs; [
    cli11
    eigen
    fmt
    hdf5
    hwloc
    libpng
    muparser
    nlohmann_json
    openmpi
    stb
    tomlplusplus
    zlib
  ];

  # Store paths are for all machines of a kind: not -march=native, but what has fused multiply-adds.
  cmakeFlags = [
    "-DBANKFULL_CUDA=OFF"
    "-DBANKFULL_MPI=ON"
    "-DBANKFULL_NATIVE=OFF"
    "-DBANKFULL_TESTS=OFF"
    "-DBANKFULL_EXAMPLES=OFF"
  ] ++ pkgs.lib.optional pkgs.stdenv.hostPlatform.isx86_64 "-DBANKFULL_ARCH=x86-64-v3";

  meta = {
    description = "Memory-bandwidth-bound CFD workloads, verified and measured against the machine's ceiling";
    license = pkgs.lib.licenses.asl20;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "bankfull";
  };
}
